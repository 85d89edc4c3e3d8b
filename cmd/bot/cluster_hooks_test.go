package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/text/waittest"
)

// TestClusterHooks: of several processes each takes what a webhook brings that was made at
// another one. A sender that sends everything to both, and repeats it while one of them is
// killed, has each said once and in order.
func TestClusterHooks(t *testing.T) {
	t.Parallel()
	waittest.Alone(t)
	w := newWorld(t)
	w.tg.AddChat(-100)
	ports := []string{w.withPort(t)}
	f := newFleetOf(t, w, 1, func(url string) string { return url })
	ports = append(ports, w.withPort(t)) // the later one holds
	f.join(t, f.url)
	eventually(t, "both live", func() bool { return f.alive() == 2 })
	w.tg.Push(telegramtest.Text(1, 1, "/hook add ci {{body.say}} place:telegram:-100"))
	said := strings.ReplaceAll(w.told(t, 1, "speaks in").Text, "`", "")
	secret := regexp.MustCompile(`(?m)^[a-z2-7]{26}$`).FindString(said)
	if secret == "" {
		t.Fatal(said)
	}
	want := map[int64][]string{}
	for i := range 20 {
		token := fmt.Sprintf("tok-%d.", i)
		want[-100] = append(want[-100], token)
		body := fmt.Sprintf(`{"say":%q}`, token)
		if i == 10 {
			kill(f.nodes[0].Cmd)
		}
		taken := waittest.Within(time.Minute, func() bool {
			one, other := sends(ports[i%2]+"/hooks/ci", secret, body), sends(ports[1-i%2]+"/hooks/ci", secret, body)
			return one == 200 || other == 200
		})
		if !taken {
			t.Fatalf("nobody takes %s", token)
		}
	}
	eventually(t, "all is said", func() bool { return tally(want, w.tg.Sent()).lost == 0 && f.open() == 0 })
	if l := tally(want, w.tg.Sent()); l.misordered+l.misrouted > 0 {
		t.Errorf("%+v\n%s", l, w.texts(-100))
	}
	if list := unexcused(want, w.tg.Sent(), f.flew(t)); len(list) > 0 {
		t.Errorf("said twice: %v", list)
	}
}
