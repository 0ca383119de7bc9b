#!/bin/bash
# @FILE: options from a file, as a shell would split them.
. "$(dirname "$0")/common.sh"
mkdir "with blank"
cp tiny.json "with blank/a'b.json"
printf '%s\n' 'check' "  'with blank/a'\\''b.json'" >one
"$llmc" @one >out.txt || fail "single quotes"
must grep -q '^layers        2$' out.txt
printf 'check\t"with blank/a'\''b.json"\r\n' >two
"$llmc" @two | diff - out.txt || fail "double quotes"
printf 'check with\\ blank/a\\'\''b.json' >three
"$llmc" @three | diff - out.txt || fail "backslashes"
printf '@two' >four
"$llmc" @four | diff - out.txt || fail "a file in a file"
: >empty
says 2 'usage: llmc VERB ...    `llmc --help` lists the verbs' llmc @empty
says 3 'none: error: cannot open: No such file or directory [E0300]' llmc check @none
says 2 'llmc: error: @ stands alone: @FILE takes options from a file [E0200]' llmc check @
printf '@self' >self
says 2 'self: error: @FILE inside @FILE, more than 8 deep [E0200]' llmc @self
printf 'check "tiny.json' >open
says 2 'open: error: a quote " is open at the end of the file [E0200]' llmc @open
printf 'check\0tiny.json' >zero
says 2 'zero: error: holds a zero byte: @FILE is a text of options [E0200]' llmc @zero
exit $failed
