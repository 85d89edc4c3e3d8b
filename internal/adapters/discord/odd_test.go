package discord

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
)

// said returns an ordinary MESSAGE_CREATE.
func said(id, text string) map[string]any {
	return map[string]any{"id": id, "channel_id": "10", "content": text, "type": 0, "timestamp": time.Now().UTC().Format(time.RFC3339Nano),
		"author": map[string]any{"id": "42", "username": "ann"}, "attachments": []any{}}
}

// TestOddEventsArePutAside: an event that no message can be made of is kept
// raw, once, and what follows is heard.
func TestOddEventsArePutAside(t *testing.T) {
	s, in, a := live(t)
	n := 0
	for name, spoil := range map[string]func(e map[string]any){
		"empty id":           func(e map[string]any) { e["id"] = "" },
		"no id":              func(e map[string]any) { delete(e, "id") },
		"an id of letters":   func(e map[string]any) { e["id"] = "abc" },
		"an id that is null": func(e map[string]any) { e["id"] = nil },
		"empty channel":      func(e map[string]any) { e["channel_id"] = "" },
		"a channel as list":  func(e map[string]any) { e["channel_id"] = []any{"10"} },
		"no author":          func(e map[string]any) { delete(e, "author") },
		"author as text":     func(e map[string]any) { e["author"] = "ann" },
		"author without id":  func(e map[string]any) { e["author"] = map[string]any{"id": ""} },
		"a server as object": func(e map[string]any) { e["guild_id"] = map[string]any{} },
		"content as object":  func(e map[string]any) { e["content"] = map[string]any{"text": "hi"} },
	} {
		n++
		e := said(fmt.Sprint(1000+n), "spoilt")
		spoil(e)
		s.Dispatch("MESSAGE_CREATE", e)
		s.Message("", "10", "42", name)
		until(t, name, func() bool { return len(in.texts()) == n })
		if got := in.last().Text; got != name {
			t.Errorf("after %s came %q", name, got)
		}
		until(t, name+" put aside", func() bool { in.mu.Lock(); defer in.mu.Unlock(); return len(in.dead) == n })
		in.mu.Lock()
		d := in.dead[n-1]
		in.mu.Unlock()
		if !strings.Contains(string(d.Raw), "spoilt") && name != "content as object" || d.ID == "" || d.Reason == "" ||
			strings.Contains(d.Reason, "spoilt") {
			t.Errorf("%s is kept as %s: %s %s", name, d.ID, d.Reason, d.Raw)
		}
		if list, err := a.Renormalize(d.Raw); err == nil || len(list) > 0 {
			t.Errorf("%s is readable all of a sudden: %v", name, list)
		}
	}
	for _, kind := range []string{"MESSAGE_CREATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK", "INTERACTION_CREATE"} {
		for _, data := range []any{nil, "x", 7, []any{nil}, map[string]any{}} {
			n++
			s.Dispatch(kind, data)
			until(t, fmt.Sprint(kind, data), func() bool { in.mu.Lock(); defer in.mu.Unlock(); return len(in.dead) == n })
		}
	}
	seen := len(in.texts())
	for _, kind := range []string{"READY_SOON", "GUILD_CREATE", "GUILD_UPDATE", "GUILD_ROLE_UPDATE", "CHANNEL_CREATE",
		"THREAD_CREATE", "MESSAGE_UPDATE"} {
		for _, data := range []any{nil, "x", []any{nil}, map[string]any{"id": 7, "channels": []any{nil, "x", 3},
			"roles": []any{nil, []any{}}, "members": "x", "role": 3, "guild_id": nil}} {
			s.Dispatch(kind, data)
		}
	}
	s.Message("", "10", "42", "still here")
	until(t, "after everything", func() bool { return len(in.texts()) > seen })
	if s.Identifies() != 1 || a.Health() != nil {
		t.Errorf("%d sessions, health %v", s.Identifies(), a.Health())
	}
}

// TestOddFieldsCostThemselves: a field of a type nobody expects costs that
// field and no message.
func TestOddFieldsCostThemselves(t *testing.T) {
	s, in, _ := live(t)
	odd := []any{nil, true, 7, 7.5, "x", []any{}, []any{nil, 1, "x"}, map[string]any{"a": 1}}
	fields := []string{"mentions", "mention_roles", "attachments", "embeds", "reactions", "components", "stickers",
		"poll", "flags", "tts", "pinned", "timestamp",
		"edited_timestamp", "member", "thread", "interaction", "referenced_message", "message_reference", "message_snapshots",
		"nonce", "activity"}
	n := 0
	check := func(what string, e map[string]any) {
		t.Helper()
		n++
		want := fmt.Sprint("hello ", n)
		e["id"], e["content"] = fmt.Sprint(5000+n), want
		s.Dispatch("MESSAGE_CREATE", e)
		until(t, what, func() bool { return len(in.texts()) == n })
		if m := in.last(); m.Text != want || m.From.ID != "discord:42" || m.ID != fmt.Sprint(5000+n) || m.At.IsZero() || !m.Direct {
			t.Errorf("%s: %+v", what, m)
		}
	}
	for _, field := range fields {
		for _, v := range odd {
			e := said("", "")
			e[field] = v
			check(fmt.Sprint(field, " ", v), e)
		}
	}
	for _, field := range []string{"bot", "avatar", "discriminator", "username", "global_name", "public_flags", "primary_guild"} {
		for _, v := range odd {
			if field == "bot" && v == true {
				continue
			}
			e := said("", "")
			e["author"] = map[string]any{"id": "42", field: v}
			check(fmt.Sprint("author ", field, " ", v), e)
		}
	}
	e := said("", "")
	e["author"], e["channel_id"] = map[string]any{"id": 42}, 10
	check("numbers as ids", e)
	e = said("", "")
	e["attachments"] = []any{nil, "x", map[string]any{"url": 3}, map[string]any{"filename": "a.txt", "size": "7",
		"url": "http://x/a.txt", "title": []any{}}}
	check("odd files", e)
	if f := in.last().Files; len(f) != 2 || f[1].Name != "a.txt" || f[1].Size != 7 {
		t.Errorf("files %+v", f)
	}
	if in.mu.Lock(); len(in.dead) > 0 {
		t.Errorf("put aside: %s", in.dead[0].Raw)
	}
	in.mu.Unlock()
}

// TestOddEditsAndRoles: an edit survives fields nobody expects, and so does who
// administers a server.
func TestOddEditsAndRoles(t *testing.T) {
	s, in, _ := live(t)
	e := said("100", "first")
	s.Dispatch("MESSAGE_CREATE", e)
	e = said("100", "second")
	e["edited_timestamp"], e["components"], e["mentions"] = 12345, []any{map[string]any{"type": 99}}, "nobody"
	s.Dispatch("MESSAGE_UPDATE", e)
	until(t, "the edit", func() bool { return len(in.texts()) == 2 })
	if m := in.last(); m.Kind != chat.KindEdit || m.ReplyTo != "100" || m.Text != "second" {
		t.Errorf("edited: %+v", m)
	}
	s.Dispatch("GUILD_CREATE", map[string]any{"id": 77, "owner_id": 1, "roles": []any{
		nil, "x", map[string]any{"id": "500", "permissions": 8, "tags": "x", "color": map[string]any{}},
		map[string]any{"id": 501, "permissions": "32", "colors": []any{}}, map[string]any{"id": "502", "permissions": []any{}},
		map[string]any{"permissions": 8},
	}, "channels": []any{map[string]any{"id": "50", "type": "0", "permission_overwrites": "x"}}, "members": []any{nil, 3}})
	for role, want := range map[any]bool{"500": true, "501": true, 500: true, "502": false, "": false} {
		n := len(in.texts())
		e := said(fmt.Sprint(200+n), "<@9000> hi")
		e["channel_id"], e["guild_id"], e["member"] = "50", "77", map[string]any{"roles": []any{role}, "joined_at": 7}
		s.Dispatch("MESSAGE_CREATE", e)
		until(t, "a member", func() bool { return len(in.texts()) == n+1 })
		if m := in.last(); m.Admin != want || m.Direct {
			t.Errorf("with role %v: %+v", role, m)
		}
	}
	if n := len(s.Calls("GET", "/guilds")); n > 0 {
		t.Errorf("asked %d times about a server that was announced", n)
	}
}

// TestRenormalize: what was put aside as a whole can be read again.
func TestRenormalize(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	a, err := New(Options{Token: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Renormalize(nil); err != chat.ErrNotReady {
		t.Errorf("before it is connected: %v", err)
	}
	a, _ = connected(t, in, s)
	s.Message("", "10", "42", "hello")
	until(t, "heard", func() bool { return len(in.texts()) == 1 })
	m := in.last()
	list, err := a.Renormalize(m.Raw)
	if err != nil || len(list) != 1 || list[0].ID != m.ID || list[0].Text != "hello" || !list[0].Direct {
		t.Errorf("read again: %+v, %v", list, err)
	}
	for _, raw := range []string{"", "{}", "[]", `{"t":"MESSAGE_CREATE"}`, `{"t":"INTERACTION_CREATE","d":{}}`} {
		if list, err := a.Renormalize([]byte(raw)); err == nil {
			t.Errorf("%s: %v", raw, list)
		}
	}
	var _ chat.Renormalizer = a
}
