#!/bin/bash
# Verbs and their operands: what is unknown, missing, too much, or not in this version.
. "$(dirname "$0")/common.sh"
says 2 'usage: llmc VERB ...    `llmc --help` lists the verbs' llmc
says 2 'llmc: error: unknown verb "compil" [E0200]
note: did you mean compile?' llmc compil
says 2 'llmc: error: unknown verb "" [E0200]
note: `llmc --help` lists verbs and options' llmc ''
says 2 'llmc: error: "-v" stands where a verb is expected: llmc VERB [options] [E0200]
note: `llmc --help` lists the verbs' llmc -v compile
for verb in presets fit inspect diff doctor run completion; do
    says 2 "llmc: error: \`llmc $verb\`: not in this version [E0203]" llmc $verb tiny.json
    says 2 "llmc: error: \`llmc $verb\`: not in this version [E0203]" llmc help $verb
done
says 2 'llmc: error: unknown verb "xyz" [E0200]
note: `llmc --help` lists verbs and options' llmc help xyz
says 2 'llmc: error: one operand is taken, "b" is a second one behind "a" [E0200]' llmc check a b
says 2 'llmc: error: --version takes no operand, "x" is one [E0200]' llmc --version x
says 2 'llmc: error: compile needs a model: config.json, a folder or a .gguf file [E0200]' llmc compile
says 2 'llmc: error: plan needs a model: config.json, a folder or a .gguf file [E0200]' llmc plan
says 2 'llmc: error: check needs a model: config.json, a folder or a .gguf file [E0200]' llmc check
says 2 'llmc: error: pack needs a model: a folder or a .gguf file [E0200]' llmc pack
says 2 'llmc: error: pack needs --into PROGRAM [E0200]' llmc pack tiny.json
says 2 'llmc: error: render needs a plan.json [E0200]' llmc render
says 2 'llmc: error: verify needs a program or a plan.json [E0200]' llmc verify
says 2 'llmc: error: probe takes no operand, "x" is one [E0200]' llmc probe x
says 2 'llmc: error: --device is "one": must be a whole number from 0 to 1023 [E0202]' llmc probe --device one
says 2 'llmc: error: explain needs an error number: E0412 [E0200]' llmc explain
for word in E0412x EE412 E-412 +412 ' 412' 0 99999 4294967708; do
    says 2 "llmc: error: \"$word\" is not an error number of this version: they look like E0412 [E0200]" llmc explain "$word"
done
says 3 '"": error: cannot open: No such file or directory [E0300]' llmc check ''
says 3 'no\x0asuch\x1b[2J\xff: error: cannot open: No such file or directory [E0300]' llmc check $'no\nsuch\e[2J\xff'

# Help goes to stdout and names every verb and each option that the verb takes.
"$llmc" --help >out.txt 2>err.txt || fail "--help"
must test ! -s err.txt
for verb in compile pack check plan render verify targets explain help; do
    must grep -q "^  $verb " out.txt
    "$llmc" help $verb >help.txt || fail "help $verb"
    must grep -q "llmc $verb" help.txt
    "$llmc" $verb --help | diff - help.txt || fail "$verb --help differs from help $verb"
    "$llmc" --help $verb | diff - help.txt || fail "--help $verb differs from help $verb"
done
must [ "$("$llmc" --version)" = "llmc $("$llmc" --version --json | grep -oE '[0-9.]+')" ]

"$llmc" targets >out.txt || fail "targets"
must [ "$(wc -l <out.txt)" = 1 ]
must grep -q ' rtx-3050 .* cpu$' out.txt

# Every warning that exists can be silenced by its name.
grep -rhoE 'warning_at\([^;]*' "$here/../../compiler" --include='*.c' | grep -oE '"[a-z-]+"' | tr -d '"' | sort -u >names.txt
must test -s names.txt
while read -r name; do
    says 3 'none: error: cannot open: No such file or directory [E0300]' llmc check none "-Wno-$name"
done <names.txt
exit $failed
