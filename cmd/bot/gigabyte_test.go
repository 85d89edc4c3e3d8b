package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestImportOfGigabytes has the program itself import PARLEY_IMPORT megabytes of JSON lines made
// of PARLEY_SAID, a message a line: killed halfway and begun again, within 100 MB of memory of
// its own.
func TestImportOfGigabytes(t *testing.T) {
	megabytes, _ := strconv.Atoi(os.Getenv("PARLEY_IMPORT"))
	if megabytes == 0 {
		t.Skip("measures")
	}
	im := older{world: newWorld(t), program: compiled(t, "."), file: filepath.Join(t.TempDir(), "old.jsonl")}
	im.said, im.bytes = write(t, im.file, linesOf(t, whatIsSaid()), int64(megabytes)*1_000_000)
	t.Logf("%d messages, %d MB", im.said, im.bytes/1_000_000)
	im.run(t, im.said/2)
	im.run(t, 0)
	im.check(t)
	copied := filepath.Join(t.TempDir(), "copy")
	im.timed(t, im.program, "backup", copied)
	if im.url != "" {
		must(t, os.Remove(copied))
		im.timed(t, "pg_dump", "--format=custom", "--file="+copied, im.url)
	}
	info, err := os.Stat(copied)
	must(t, err)
	t.Logf("the copy has %d MB", info.Size()/1_000_000)
	im.world = newWorld(t)
	if im.url == "" {
		im.timed(t, im.program, "restore", copied)
	} else {
		im.timed(t, "pg_restore", "--no-owner", "--clean", "--exit-on-error", "--dbname="+im.url, copied)
	}
	im.check(t)
}

// timed runs a program and prints how long it took.
func (im older) timed(t *testing.T, name string, args ...string) {
	t.Helper()
	began := time.Now()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), im.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.Logf("%s: %.0f s, %.0f s of processors", filepath.Base(name)+" "+args[0], time.Since(began).Seconds(), used.Seconds())
}

// older is an import by the program.
type older struct {
	*world
	program, file string
	said, bytes   int64 // in the file
}

// run imports, until so many messages are stored if that is not 0.
func (im older) run(t *testing.T, until int64) {
	t.Helper()
	cmd := exec.Command(im.program, "sessions", "import", im.file)
	cmd.Env = append(os.Environ(), im.env...)
	var out safeBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	must(t, cmd.Start())
	most := highest(cmd.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for running := true; running; {
		select {
		case err := <-ended:
			if until == 0 {
				must(t, err)
			}
			running = false
		case <-time.After(100 * time.Millisecond):
			if until > 0 && im.stored() >= until {
				_ = cmd.Process.Kill() // it may have ended
			}
		}
	}
	took, used := time.Since(began), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	peak := float64(most()) / (1 << 20)
	t.Logf("%.0f s, %.0f s of processors, at most %.1f MB of memory, %d messages are stored: %s", took.Seconds(), used.Seconds(), peak,
		im.stored(), lastLine(out.String()))
	if peak > 100 {
		t.Errorf("%.1f MB", peak)
	}
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexAny(s, "\r\n")+1:]
}

// stored is the number of the last message.
func (im older) stored() (n int64) {
	if db, err := im.look(); err == nil {
		_ = db.QueryRow("SELECT coalesce(max(id), 0) FROM messages").Scan(&n) // there may be none yet
		_ = db.Close()
	}
	return n
}

// check finds each message once.
func (im older) check(t *testing.T) {
	t.Helper()
	db, err := im.look()
	must(t, err)
	defer func() { _ = db.Close() }()
	var all, different int64
	must(t, db.QueryRow("SELECT count(*), count(DISTINCT message_id) FROM messages").Scan(&all, &different))
	var bytes int64
	size := "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
	if im.url != "" {
		size = "SELECT pg_database_size(current_database())"
	}
	must(t, db.QueryRow(size).Scan(&bytes))
	t.Logf("the database has %d MB", bytes/1_000_000)
	if all != im.said || different != im.said {
		t.Errorf("%d messages, %d different ones, of %d", all, different, im.said)
	}
}

// write puts so many bytes of messages into a file: 800 people in 200 places, twenty messages in
// one place at a time. Of each round through what is said every seventh word is another.
func write(t *testing.T, path string, said []string, bytes int64) (messages, written int64) {
	f, err := os.Create(path)
	must(t, err)
	out := bufio.NewWriter(f)
	at := time.Date(2020, 1, 1, 8, 0, 0, 0, time.UTC)
	for written < bytes {
		n := int(messages)
		text := strings.Fields(said[n%len(said)])
		others := strings.Fields(said[(n*31+n/len(said)*17)%len(said)])
		for i := 6; i < len(text); i += 7 {
			text[i] = others[i%len(others)]
		}
		place := n / 20 % 200
		who := fmt.Sprintf("p%d-%d", place, n%4)
		b, err := json.Marshal(map[string]string{"platform": "archive", "channel": fmt.Sprint("c", place), "user": who, "name": who,
			"id": fmt.Sprint("m", n), "at": at.Add(time.Duration(n) * 30 * time.Second).Format(time.RFC3339), "text": strings.Join(text, " ")})
		must(t, err)
		_, err = out.Write(append(b, '\n'))
		must(t, err)
		written, messages = written+int64(len(b))+1, messages+1
	}
	must(t, out.Flush())
	must(t, f.Close())
	return messages, written
}
