package app

import (
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"parley/internal/text/waittest"
)

// spending watches what a part of the process takes: its anonymous memory, of Go and of SQLite
// alike, and its processor time.
type spending struct {
	from, most int64 // kB
	before     time.Duration
	stop       chan struct{}
	over       sync.WaitGroup
}

// spend begins to watch. Where the system does not tell of memory, there is none.
func spend() *spending {
	debug.FreeOSMemory()
	s := &spending{from: anonymous(), before: waittest.CPU(), stop: make(chan struct{})}
	s.over.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			s.most = max(s.most, anonymous())
			select {
			case <-tick.C:
			case <-s.stop:
				return
			}
		}
	})
	return s
}

// end says what was spent.
func (s *spending) end() string {
	close(s.stop)
	s.over.Wait()
	return fmt.Sprintf("%.1f s of processor, %.1f MB of memory more than the %.1f before", (waittest.CPU() - s.before).Seconds(),
		float64(s.most-s.from)/1024, float64(s.from)/1024)
}

var rssAnon = regexp.MustCompile(`RssAnon:\s+(\d+) kB`)

func anonymous() int64 {
	b, _ := os.ReadFile("/proc/self/status")
	if m := rssAnon.FindSubmatch(b); m != nil {
		kb, _ := strconv.ParseInt(string(m[1]), 10, 64)
		return kb
	}
	return 0
}
