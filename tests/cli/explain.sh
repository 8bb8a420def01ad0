# explain: import --explain says how each block is read, and stores nothing.
need gzip tar

cp fixtures/tools/procps-3.3.10-x.txt doubled.x
cp fixtures/tools/procps-4.0.2-kthread.txt kthread.x
mkdir -p run/4711
cp fixtures/parse/demo-smaps.txt run/4711/smaps
cp fixtures/tools/kernel-smaps_rollup.txt run/4711/smaps_rollup
cp fixtures/tools/kernel-status.txt run/4711/status
echo junk >run/4711/junk
echo SECRET=x >run/4711/environ

say "one block, with corrected faults of a tool"
run pmapdb import --explain doubled.x

say "several blocks"
head -n 40 samples/logs/leaky-cron.log >cut.log
run pmapdb import --explain cut.log fixtures/tools/procps-4.0.2-multi-x.txt

say "a directory: the pid is in the path, other files are no trouble"
run pmapdb import --explain run/4711

say "only sums; no header; another language"
grep '^total' samples/logs/leaky-cron.log | head -n 2 >sums.log
run pmapdb import --explain sums.log fixtures/parse/demo-XXpq.txt fixtures/tools/procps-4.0.2-uk_UA-x.txt

say "named files without a capture, and a missing file"
run pmapdb import --explain kthread.x
run pmapdb import --explain run/4711/junk
run pmapdb import --explain run/4711/status
: >empty
run pmapdb import --explain empty doubled.x nowhere
printf 'Address  Kbytes     RSS    Anon  Locked Mode   Mapped File\n' >sun.txt
run pmapdb import --explain sun.txt
run pmapdb import --explain --dialect maps doubled.x

say "a file with something to store beside a kernel thread"
cat kthread.x fixtures/parse/demo-x.txt >both.x
run pmapdb import --explain both.x

say "archives, damaged ones, standard input"
tar cf all.tar --sort=name run kthread.x
run pmapdb import --explain all.tar
gzip -c run/4711/smaps | head -c 300 >smaps.gz
run pmapdb import --explain smaps.gz
run pmapdb import --explain - <doubled.x

say "as rows"
for format in csv json ndjson; do
    run pmapdb import --explain -f $format doubled.x both.x nowhere
done
run pmapdb import --explain -f csv -o rows.csv cut.log
run wc -l rows.csv

say "file names do not control the terminal"
mkdir odd
cp kthread.x "odd/$(printf 'a\033[31m\nb')"
run pmapdb import --explain odd

say "no store was created"
run ls store.db
