package main

import "testing"

// TestStartAsksNothingAboutMenus: a start that changes nothing makes no call about menus and
// descriptions, and commands and forms work all the same; a restored copy asks again.
func TestStartAsksNothingAboutMenus(t *testing.T) {
	w := newWorld(t).onDiscord()
	asked := func() int {
		n := len(w.dc.Calls("GET", "/applications/")) + len(w.dc.Calls("PUT", "/applications/"))
		for _, what := range []string{"MyCommands", "MyDescription", "MyShortDescription"} {
			n += len(w.tg.Calls("get"+what)) + len(w.tg.Calls("set"+what))
		}
		return n
	}
	shown := func(more string) bool {
		return w.count(t, "SELECT count(*) FROM settings WHERE name LIKE 'menu.%'"+more) == 1
	}
	w.tg.AddChat(1) // of the owner, who has a menu of their own
	first := w.start(t)
	eventually(t, "the database is there", func() bool { return len(w.tg.Calls("getUpdates")) > 0 })
	eventually(t, "both platforms have the menus", func() bool {
		return shown(" AND name = 'menu.telegram'") && shown(" AND name = 'menu.discord'")
	})
	kill(first)
	before, menus := asked(), len(w.dc.Calls("GET", "/applications/"))
	if before < 40 {
		t.Fatalf("%d calls at the first start", before)
	}
	w.change(t, "DELETE FROM settings WHERE name = 'menu.discord'") // which shows when the second one is done
	second := w.start(t)
	eventually(t, "Discord has the menus", func() bool { return shown(" AND name = 'menu.discord'") })
	w.saying(t, 5, 5, "hello")
	kill(second)
	if n, again := asked()-before, len(w.dc.Calls("GET", "/applications/"))-menus; n != 1 || again != 1 {
		t.Errorf("%d calls at a start that changes nothing on Telegram, %d of them to Discord", n, again)
	}
}
