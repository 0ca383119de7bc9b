#!/bin/bash
# An output that llmc did not make is not replaced without -f; inputs are never modified.
. "$(dirname "$0")/common.sh"
echo "my notes" > notes
"$llmc" compile "$tiny" --target cpu -o notes 2> err
[ $? = 2 ] || fail "exit $?"
diff - err << 'W' || fail "message"
notes: error: exists and is not a program made by llmc [E0200]
note: -f replaces it, -o NAME writes elsewhere
W
[ "$(cat notes)" = "my notes" ] || fail "the file was changed"
"$llmc" compile "$tiny" --target cpu -o notes -f -q || fail "-f"
"$llmc" compile "$tiny" --target cpu -o notes -q || fail "a program of llmc may be replaced"
cp "$tiny" model.json
before=$(sha256sum model.json)
"$llmc" compile model.json --target cpu -o model.json 2> /dev/null && fail "the input was replaced"
[ "$before" = "$(sha256sum model.json)" ] || fail "the input was changed"
# The plan that was edited where it lay is compiled and stays as it was written.
"$llmc" compile "$tiny" --target tiny-gpu --arch cpu -o edited -q || fail "compile"
sed -i 's/^  "llmc_plan"/    "llmc_plan"/' edited.d/plan.json
cp edited.d/plan.json written.json
"$llmc" compile --plan edited.d/plan.json --arch cpu -o edited -q || fail "--plan"
cmp written.json edited.d/plan.json || fail "the plan that was read was written again"
"$llmc" compile --plan written.json --arch cpu -o edited -q || fail "--plan of another name"
cmp -s written.json edited.d/plan.json && fail "the plan is not in the program's form"
echo "ok"
