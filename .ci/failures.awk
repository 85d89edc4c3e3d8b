# From what a step printed, what matters where it failed: which tests, the beginning of the
# first report of the race detector, the beginning of the first panic, and what the failed
# tests said; of a step without tests the end. 120 lines at most.
function keep(into, line) { if (n[into] < most[into]) text[into] = text[into] line "\n"; n[into]++ }
BEGIN { most["names"] = 30; most["race"] = 30; most["panic"] = 20; most["said"] = 40; most["build"] = 20 }
{ line = substr($0, 1, 240); last[NR % 30] = line }
/^ *--- FAIL: / || /^FAIL\t/ { keep("names", line) }
/^# / || /\.go:[0-9]+:[0-9]+: / { keep("build", line) }
/^WARNING: DATA RACE/ && !raced { raced = racing = 1 }
racing { keep("race", line); if (/^=====/) racing = 0 }
(/^panic: / || /^fatal error: / || /^SIGQUIT/) && !panicked { panicked = 1 }
panicked { keep("panic", line) }
/^ *--- FAIL: / { saying = 12 }
/^(ok|FAIL|PASS|---|===)/ && !/--- FAIL/ { saying = 0 }
saying { keep("said", line); saying-- }
END {
	split("names race panic said build", order)
	for (i = 1; i in order; i++) {
		if (!(order[i] in text)) continue
		any = 1
		printf "%s", text[order[i]]
		print "----"
	}
	if (!any) for (i = NR - 29; i <= NR; i++) if (i > 0) print last[i % 30]
}
