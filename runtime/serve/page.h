// page.h: the page at /, page.html, as the program carries it.
#pragma once

extern const char serve_page[], serve_page_end[];
