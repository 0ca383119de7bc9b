// page.S: puts page.html into the program.
    .section .rodata
    .globl serve_page
    .globl serve_page_end
serve_page:
    .incbin "page.html"
serve_page_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
