package telegram

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
	"parley/internal/text/waittest"
)

// unknown are fields of a message that the library cannot decode: one for each
// of its decoders that know a closed list of types, and some of a wrong type.
var unknown = map[string]string{
	"external reply's origin":     `"external_reply":{"origin":{"type":"hologram","date":1},"message_id":3}`,
	"external reply's paid media": `"external_reply":{"origin":{"type":"user","date":1,"sender_user":{"id":5,"is_bot":false,"first_name":"E"}},"paid_media":{"star_count":1,"paid_media":[{"type":"hologram"}]}}`,
	"paid media":                  `"paid_media":{"star_count":1,"paid_media":[{"type":"hologram"}]}`,
	"background type":             `"chat_background_set":{"type":{"type":"hologram"}}`,
	"background fill":             `"chat_background_set":{"type":{"type":"fill","fill":{"type":"hologram"},"dark_theme_dimming":1}}`,
	"rich block":                  `"rich_message":{"blocks":[{"type":"hologram"}]}`,
	"rich text":                   `"rich_message":{"blocks":[{"type":"paragraph","text":{"type":"hologram","text":"x"}}]}`,
	"rich text of a wrong kind":   `"rich_message":{"blocks":[{"type":"paragraph","text":5}]}`,
	"pinned message":              `"pinned_message":{"message_id":2,"date":1,"chat":{"id":42,"type":"private"},"paid_media":{"star_count":1,"paid_media":[{"type":"hologram"}]}}`,
	"pinned message's date":       `"pinned_message":{"message_id":2,"date":"yesterday","chat":{"id":42,"type":"private"}}`,
	"reply's parts":               `"reply_to_message":{"message_id":4,"date":1,"chat":{"id":42,"type":"private"},"from":{"id":42,"is_bot":false,"first_name":"Ann"},"paid_media":{"star_count":1,"paid_media":[{"type":"hologram"}]}}`,
	"number as text":              `"sender_boost_count":"many"`,
	"object as list":              `"photo":{"file_id":"x"}`,
	"list as object":              `"link_preview_options":[]`,
	"entities of a wrong kind":    `"entities":{"type":"bold"}`,
	"one entity of a wrong kind":  `"entities":[{"type":7,"offset":"a","length":{}}]`,
	"text as number":              `"author_signature":12`,
	"number out of range":         `"paid_star_count":99999999999999999999999999`,
	"album of a wrong kind":       `"media_group_id":{}`,
	"buttons of a wrong kind":     `"reply_markup":{"inline_keyboard":{"x":1}}`,
}

// odd returns an update with a text that carries one more field.
func odd(field, text string) telegramtest.Update {
	return telegramtest.Raw(`{"update_id":0,"message":{"message_id":5,"date":1700000000,` + private + `,` + ann +
		`,"text":"` + text + `",` + field + `}}`)
}

// A message is more than the parts of it that the library knows: whatever those
// are, its text is read, by polling and by webhook, and so is what follows.
func TestUnknownPartsDropNoText(t *testing.T) {
	for mode, change := range map[string]func(*Options){"polling": nil, "webhook": byWebhook(waittest.Address(t))} {
		t.Run(mode, func(t *testing.T) {
			s := server(t, telegramtest.Options{WebhookRetry: 10 * time.Millisecond})
			r := run(t, s, newIntake(), change)
			n, names := 0, map[string]bool{}
			for name, field := range unknown {
				id := fmt.Sprintf(`"message_id":%d`, 100+n)
				u := odd(field, name)
				u.Raw = strings.Replace(u.Raw, `"message_id":5`, id, 1)
				s.Push(u)
				n++
			}
			s.Push(telegramtest.Text(42, 42, "after it"))
			for _, m := range r.in.wait(t, n+1) {
				if m.Kind != chat.KindText || m.From.ID != "telegram:42" || m.Key != place(42, 0) || !m.Direct {
					t.Errorf("got %+v", m)
				}
				names[m.Text] = true
			}
			for name := range unknown {
				if !names[name] {
					t.Errorf("lost: %s", name)
				}
			}
			if !names["after it"] || len(r.in.letters()) != 0 {
				t.Errorf("put aside: %v", r.in.letters())
			}
			eventually(t, "confirmed", func() bool { return s.Waiting() == 0 })
		})
	}
}

// What cannot be decoded still tells whose words they are: a forward from a
// place of a new kind is a forward, and text by an unknown bot is no order.
func TestUnknownPartsKeepWhoseWordsTheyAre(t *testing.T) {
	a := reader(t)
	for field, want := range map[string]func(chat.Message) bool{
		`"forward_origin":{"type":"hologram","date":1}`: func(m chat.Message) bool { return m.Forwarded },
		`"forward_origin":7`:                            func(m chat.Message) bool { return m.Forwarded },
		`"via_bot":7`:                                   func(m chat.Message) bool { return m.Forwarded },
		`"quote":{"text":"q","position":"x"},"external_reply":{"origin":{"type":"hologram","date":1}}`: func(
			m chat.Message) bool {
			return m.Relayed && m.Quote == "q"
		},
		`"reply_to_message":{"message_id":4,"date":1,` + private + `,` + ann +
			`,"text":"q","forward_origin":{"type":"hologram"}}`: func(m chat.Message) bool {
			return m.Relayed && m.Quote == "q" &&
				m.ReplyTo == "4"
		},
		`"document":{"file_id":"F","file_name":"a.txt","file_size":"big"}`: func(
			m chat.Message) bool {
			return len(m.Files) == 1 && m.Files[0].Ref == "F"
		},
		`"photo":[{"file_id":"P","width":"x","height":1}]`: func(
			m chat.Message) bool {
			return len(m.Files) == 1 && m.Files[0].Ref == "P"
		},
		`"document":{"file_name":7}`: func(m chat.Message) bool { return len(m.Files) == 0 },
		`"message_thread_id":9,"is_topic_message":true,"paid_media":{"paid_media":[{"type":"hologram"}]}`: func(
			m chat.Message) bool {
			return m.Key.Thread == "9"
		},
		`"entities":[{"type":"bot_command","offset":"0","length":[]},{"type":"bold","offset":0,"length":1}]`: func(
			m chat.Message) bool {
			return m.Kind == chat.KindText
		},
		`"media_group_id":"alb","paid_media":{"paid_media":[{"type":"hologram"}]}`: func(
			m chat.Message) bool {
			return m.Album == "alb"
		},
	} {
		u := odd(field, "/wipe")
		e := a.event(json.RawMessage(strings.Replace(u.Raw, `"update_id":0`, `"update_id":1`, 1)))
		if m := e.message; m.Text != "/wipe" || m.From != annUser || !want(m) || e.dead != nil {
			t.Errorf("%s: %+v, put aside: %v", field, m, e.dead != nil)
		}
	}
}

// The other kinds of updates are read in the same way.
func TestUnknownPartsOfOtherUpdates(t *testing.T) {
	a := reader(t)
	const holo = `"paid_media":{"paid_media":[{"type":"hologram"}]}`
	body := `{"message_id":5,"date":1700000000,"edit_date":1700000009,` + private + "," + ann + `,"text":"better",` + holo + `}`
	edit := a.event([]byte(`{"update_id":3,"edited_message":` + body + `}`)).message
	if edit.Kind != chat.KindEdit || edit.ReplyTo != "5" || edit.Text != "better" {
		t.Errorf("edit %+v", edit)
	}
	press := a.event([]byte(`{"update_id":4,"callback_query":{"id":"q",` + ann + `,"message":` + body + `,"data":"yes"}}`))
	if m := press.message; press.query != "q" || m.Kind != chat.KindButton || m.Text != "yes" || m.ReplyTo != "5" ||
		m.Key != place(42, 0) || !m.Direct {
		t.Errorf("press %+v", press)
	}
	press = a.event([]byte(`{"update_id":4,"callback_query":{"id":"q",` + ann + `,"message":{"message_id":5,"date":"x",` +
		private + `},"data":"yes"}}`))
	if m := press.message; m.Text != "yes" || m.ReplyTo != "5" || !m.Direct {
		t.Errorf("press %+v", press)
	}
	for _, raw := range []string{
		`{"update_id":5,"my_chat_member":{` + super + `,` + ann +
			`,"date":1,"old_chat_member":{"status":"left"},"new_chat_member":{"status":"hologram"}}}`,
		`{"update_id":6,"message_reaction":{"chat":{"id":1,"type":"private"},"message_id":1,"date":1,"old_reaction":[],"new_reaction":[{"type":"hologram"}]}}`,
		`{"update_id":7,"chat_boost":{"chat":{"id":1,"type":"private"},"boost":{"boost_id":"x","source":{"source":"hologram"}}}}`,
	} {
		if e := a.event([]byte(raw)); e.message.Kind != chat.KindSkipped || e.dead != nil || e.id == 0 {
			t.Errorf("%s: %+v", raw, e)
		}
	}
}

// Dates that no calendar holds are not what the message is lost for.
func TestDatesOutOfRange(t *testing.T) {
	for mode, change := range map[string]func(*Options){"polling": nil, "webhook": byWebhook(waittest.Address(t))} {
		t.Run(mode, func(t *testing.T) {
			s := server(t, telegramtest.Options{WebhookRetry: 10 * time.Millisecond})
			r := run(t, s, newIntake(), change)
			dates := []string{"999999999999", "-999999999999", "9223372036854775807", "-1", "0", "99999999999999999999", `"soon"`, "1.5e300", "null"}
			for i, date := range dates {
				s.Push(telegramtest.Raw(fmt.Sprintf(`{"update_id":0,"message":{"message_id":%d,"date":%s,%s,%s,"text":"at %d"}}`,
					10+i, date, private, ann, i)))
				s.Push(telegramtest.Raw(
					fmt.Sprintf(`{"update_id":0,"edited_message":{"message_id":%d,"date":1700000000,"edit_date":%s,%s,%s,"text":"changed at %d"}}`,
						10+i, date, private, ann, i)))
			}
			s.Push(telegramtest.Text(42, 42, "after it"))
			got := r.in.wait(t, 2*len(dates)+1)
			for _, m := range got {
				if m.Kind == chat.KindSkipped || time.Since(m.At).Abs() > 40*365*24*time.Hour && m.At.Year() < 1970 || time.Until(m.At) > 25*time.Hour {
					t.Errorf("got %+v", m)
				}
			}
			eventually(t, "confirmed", func() bool { return s.Waiting() == 0 })
		})
	}
}

// An update that no message can be made of is put aside as it came, once, and
// holds up nothing.
func TestUnreadableUpdatesArePutAside(t *testing.T) {
	for mode, change := range map[string]func(*Options){"polling": nil, "webhook": byWebhook(waittest.Address(t))} {
		t.Run(mode, func(t *testing.T) {
			s := server(t, telegramtest.Options{WebhookRetry: 10 * time.Millisecond})
			in := newIntake()
			raws := []string{
				`{"update_id":0,"message":"poison"}`,
				`{"update_id":0,"message":{"message_id":"oops","chat":7,"text":"my secret"}}`,
				`{"update_id":0,"message":{"message_id":5,"date":1,"chat":{"id":[]},` + ann + `,"text":"my secret"}}`,
				`{"update_id":0,"message":{"message_id":5,"date":1,` + private + `,"from":9,"text":"my secret"}}`,
				`{"update_id":0,"message":{"message_id":5,"date":1,` + private + `,` + ann + `,"text":["my secret"]}}`,
				`{"update_id":0,"callback_query":{"id":"q","from":[],"data":7}}`,
				`{"update_id":0,"edited_message":[]}`,
			}
			for _, raw := range raws {
				s.Push(telegramtest.Raw(raw))
			}
			s.Push(telegramtest.Text(42, 42, "after it"))
			r := run(t, s, in, change)
			if got := r.in.wait(t, 1); got[0].Text != "after it" {
				t.Errorf("got %+v", got)
			}
			eventually(t, "all put aside", func() bool { return len(in.letters()) == len(raws) })
			for i, d := range in.letters() {
				if d.ID == "" || d.Reason == "" || strings.Contains(d.Reason, "secret") || !json.Valid(d.Raw) {
					t.Errorf("%s became %+v", raws[i], d)
				}
			}
			eventually(t, "confirmed", func() bool { return s.Waiting() == 0 })
		})
	}
}

// An update id that is no number still confirms.
func TestUpdateIDs(t *testing.T) {
	a := reader(t)
	for raw, want := range map[string]int64{
		`{"update_id":"12","message":5}`: 12, `{"update_id":12.0}`: 12, `{"update_id":12}`: 12, `{"x":1}`: 0, `7`: 0,
	} {
		if e := a.event([]byte(raw)); e.id != want {
			t.Errorf("%s: id %d", raw, e.id)
		}
	}
	// A bare object deep in the update costs no time to speak of.
	deep := strings.Repeat(`{"reply_to_message":`, 5000) + `{"text":7}` + strings.Repeat(`}`, 5000)
	began := waittest.CPU()
	e := a.event([]byte(`{"update_id":1,"message":{"message_id":5,"date":1,` + private + `,` + ann +
		`,"text":"hi","reply_to_message":` + deep + `}}`))
	if took := waittest.CPU() - began; took > 2*time.Second || e.message.Text != "hi" {
		t.Errorf("%v: %+v", took, e.message)
	}
}

// Two changes within one second are two.
func TestEditsWithinOneSecond(t *testing.T) {
	a := reader(t)
	edit := func(update int, text string) chat.Message {
		return a.event([]byte(
			fmt.Sprintf(`{"update_id":%d,"edited_message":{"message_id":5,"date":1700000000,"edit_date":1700000009,%s,%s,"text":"%s"}}`,
				update, private, ann, text))).message
	}
	if one, two, again := edit(1, "a"), edit(2, "b"), edit(2, "b"); one.ID == two.ID || two.ID != again.ID {
		t.Errorf("%s, %s, and again %s", one.ID, two.ID, again.ID)
	}
}
