package memory

import (
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/access"
)

// webLogin logs somebody in, and returns the cookie's hash.
func webLogin(t *testing.T, s *Store, user, id string) (hash []byte) {
	t.Helper()
	until := s.now().Add(time.Hour)
	l := access.WebLogin{ID: id, User: user, Place: chat.Key{Platform: "telegram", Channel: "42"}, Until: until}
	must(t, s.Access.AddWebLink(bg, l, []byte("link "+id)))
	_, ok, err := s.Access.TakeWebLink(bg, []byte("link "+id), []byte("cookie "+id), access.WebLogin{Browser: "b", Until: until})
	must(t, err)
	if !ok {
		t.Fatal("the link does not work")
	}
	if _, again, _ := s.Access.TakeWebLink(bg, []byte("link "+id), []byte("x"), access.WebLogin{Until: until}); again {
		t.Fatal("the link works twice")
	}
	return []byte("cookie " + id)
}

// TestWebLoginsEnd: a login ends in the transaction that ends its reason.
func TestWebLoginsEnd(t *testing.T) {
	at := time.Now()
	s := open(t, Options{Now: func() time.Time { return at }})
	has := func(hash []byte) bool {
		_, ok, err := s.Access.WebLogin(bg, hash, at.Add(-time.Hour))
		must(t, err)
		return ok
	}
	for name, end := range map[string]func(user string) error{
		"kept out":  func(u string) error { return s.Access.Grant(bg, u, "denied", "x") },
		"revoked":   func(u string) error { _, err := s.Access.Revoke(bg, u); return err },
		"forgotten": func(u string) error { return s.ForgetPerson(bg, u, 0) },
		"ended":     func(u string) error { _, err := s.Access.EndWebLogins(bg, u); return err },
		"restored": func(string) error {
			must(t, s.db.Exec(bg, "INSERT INTO secrets (name, value) VALUES ('restored', 'yes')"))
			_, _, err := s.AfterRestore(bg, "")
			return err
		},
		"over": func(string) error { at = at.Add(2 * time.Hour); return nil },
	} {
		hash := webLogin(t, s, "telegram:"+name, name)
		if !has(hash) {
			t.Fatalf("%s: not logged in", name)
		}
		must(t, end("telegram:"+name))
		if has(hash) {
			t.Errorf("%s: still logged in", name)
		}
	}
	first := webLogin(t, s, "telegram:7", "first")
	for i := range 8 {
		at = at.Add(time.Second)
		webLogin(t, s, "telegram:7", string(rune('a'+i)))
	}
	if list, err := s.Access.WebLogins(bg, "telegram:7", at.Add(-time.Hour)); err != nil || len(list) != 8 || has(first) {
		t.Errorf("%d browsers, %v", len(list), err)
	}
}

// TestWebFilesStay: a file stays while its message waits, and is its person's alone.
func TestWebFilesStay(t *testing.T) {
	at := time.Now()
	s := open(t, Options{Now: func() time.Time { return at }})
	k := chat.Key{Platform: "telegram", Channel: "42"}
	files := []access.WebFile{{ID: "web-A-0", User: "telegram:42", Name: "a", Data: []byte("12345")}}
	fits, err := s.Access.SaveWebFiles(bg, files, 5)
	must(t, err)
	again, err := s.Access.SaveWebFiles(bg, files, 5)
	must(t, err)
	more, err := s.Access.SaveWebFiles(bg, []access.WebFile{{ID: "web-B-0", User: "telegram:42", Data: []byte("6")}}, 5)
	must(t, err)
	if !fits || !again || more {
		t.Errorf("fits %v, again %v, more %v", fits, again, more)
	}
	in, err := s.Accept(bg, chat.Batch{Platform: "telegram", Messages: []chat.Message{{ID: "web-A", Key: k, From: chat.User{ID: "telegram:42"},
		Files: []chat.File{{Ref: "web-A-0"}}, At: at}}})
	must(t, err)
	at = at.Add(48 * time.Hour)
	must(t, s.Access.SweepWeb(bg, at))
	data, ok, err := s.Access.WebFile(bg, "telegram:42", "web-A-0")
	must(t, err)
	if _, theirs, _ := s.Access.WebFile(bg, "telegram:43", "web-A-0"); string(data) != "12345" || !ok || theirs {
		t.Errorf("the file of a message that waits: %q %v, somebody else's %v", data, ok, theirs)
	}
	must(t, s.Finish(bg, in[0], nil, nil))
	must(t, s.Access.SweepWeb(bg, at))
	if _, ok, _ = s.Access.WebFile(bg, "telegram:42", "web-A-0"); ok {
		t.Error("it stays for ever")
	}
}
