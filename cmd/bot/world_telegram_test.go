package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// TestFaultTelegramWorld plays a Telegram that is at its worst in every way the
// fake knows, mixed by chance: 0 lost, 0 out of order, 0 visible twice but for
// sends whose connection was cut after they had their effect, counted apart.
func TestFaultTelegramWorld(t *testing.T) {
	t.Parallel()
	seeds, messages := 2, 100
	if os.Getenv("PARLEY_FAULTS") != "" {
		seeds, messages = 30, 1000
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			g := &badTelegram{world: newWorld(t), rand: rand.New(rand.NewPCG(uint64(seed), 7)), want: map[int64][]string{}}
			g.play(t, messages)
		})
	}
}

// badTelegram is a world whose Telegram misbehaves by chance.
type badTelegram struct {
	*world
	rand *rand.Rand
	want map[int64][]string // tokens by chat
}

// badChats are as many people and groups.
const badChats = 20

// badChat returns the id of a chat: every fourth is a group.
func badChat(i int) int64 {
	if i%4 == 3 {
		return -1000000005000 - int64(i)
	}
	return 5000 + int64(i)
}

func (g *badTelegram) play(t *testing.T, messages int) {
	g.llm.Quiet()
	g.llm.Respond(g.slowly)
	g.env = append(g.env, "BOT_LIMITS_QUEUE_PER_CHANNEL=1000")
	g.run(t)
	for i := range messages {
		g.say(i)
		if g.rand.IntN(6) == 0 {
			g.tg.Fail(g.fault())
		}
		if g.rand.IntN(15) == 0 {
			g.tg.Push(telegramtest.Raw(poison[g.rand.IntN(len(poison))]))
		}
		if g.rand.IntN(10) == 0 {
			some := len(g.tg.Sent()) + g.rand.IntN(5) // not all things happen at one moment
			waittest.Within(60*time.Millisecond, func() bool { return len(g.tg.Sent()) >= some })
		}
	}
	l, apart, given := ledger{}, 0, 0
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	if err := g.tg.Wait(ctx, func() bool { l, apart, given = g.tally(); return l.lost == 0 && g.tg.Waiting() == 0 }); err == nil {
		g.settled(t) // nor is a double under way
	}
	l, apart, given = g.tally()
	wasted := g.tg.Wasted()
	t.Logf("%d messages: %d lost, %d visible twice, %d out of order, %d misrouted; %d cut off after their effect and "+
		"visible twice, %d cut off twice before it and given up; %d requests, %d inside a retry_after, %d updates left",
		messages, l.lost, l.doubled, l.misordered, l.misrouted, apart, given, len(g.tg.Calls("")), wasted, g.tg.Waiting())
	if l != (ledger{}) || g.tg.Waiting() > 0 {
		t.Errorf("%+v", l)
		g.explain(t)
	}
}

// slowly echoes the token, one time in thirty so slowly that it is seen to
// grow.
func (g *badTelegram) slowly(r llmtest.Request) llmtest.Turn {
	text := r.Messages[len(r.Messages)-1].Text()
	if i := strings.Index(text, "tok-"); i >= 0 {
		text = strings.Fields(text[i:])[0]
	}
	if strings.HasSuffix(text, "7.") && len(text)%2 == 0 {
		return llmtest.Turn{Text: text + strings.Repeat(" and so on", 20), Chunks: 6, ChunkWait: 300 * time.Millisecond}
	}
	return llmtest.Turn{Text: text}
}

// say pushes a message in one of the forms that Telegram may give it.
func (g *badTelegram) say(i int) {
	c := g.rand.IntN(badChats)
	chat, user := badChat(c), int64(5000+c)
	token := fmt.Sprintf("tok-%d-%d.", c, len(g.want[chat]))
	g.want[chat] = append(g.want[chat], token)
	words, entities := token, ""
	kind := `"private"`
	if chat < 0 {
		words, kind = "@parley_bot "+token, `"supergroup"`
		entities = `,"entities":[{"type":"mention","offset":0,"length":11}]`
	}
	more := ""
	if g.rand.IntN(3) == 0 {
		more = "," + strange[g.rand.IntN(len(strange))]
	}
	date := fmt.Sprint(time.Now().Unix())
	if g.rand.IntN(10) == 0 {
		date = []string{"999999999999", "-1", `"soon"`, "9223372036854775807"}[g.rand.IntN(4)]
	}
	g.tg.AddChat(chat)
	g.tg.Push(telegramtest.Raw(
		fmt.Sprintf(`{"update_id":0,"message":{"message_id":%d,"date":%s,"chat":{"id":%d,"type":%s},"from":{"id":%d,"is_bot":false,"first_name":"U"},"text":%q%s%s}}`,
			100_000+i, date, chat, kind, user, words, entities, more)))
}

// strange are parts of messages, and of what is said of messages that were
// sent, that the library does not know.
var strange = []string{
	`"external_reply":{"origin":{"type":"hologram","date":1}}`,
	`"paid_media":{"star_count":1,"paid_media":[{"type":"hologram"}]}`,
	`"chat_background_set":{"type":{"type":"hologram"}}`,
	`"rich_message":{"blocks":[{"type":"hologram"}]}`,
	`"sender_boost_count":"many"`,
	`"link_preview_options":[]`,
	`"author_signature":12`,
}

// poison are updates that no message can be made of.
var poison = []string{
	`{"update_id":0,"message":"poison"}`,
	`{"update_id":0,"message":{"message_id":"oops","chat":7,"text":"x"}}`,
	`{"update_id":0,"callback_query":{"id":"q","from":[],"data":7}}`,
	`{"update_id":0,"something_new":{"x":1}}`,
	`{"update_id":0,"my_chat_member":{"chat":{"id":-5,"type":"group"},"from":{"id":1},"date":1,"old_chat_member":{"status":"left"},"new_chat_member":{"status":"hologram"}}}`,
}

const webPage = "<html><body>something is wrong</body></html>"

// fault returns one thing that goes wrong once.
func (g *badTelegram) fault() telegramtest.Fault {
	f := telegramtest.Fault{Skip: g.rand.IntN(8), Times: 1}
	any := []string{"", "sendMessage", "editMessageText", "getUpdates", "sendChatAction", "sendMessageDraft"}[g.rand.IntN(6)]
	switch n := g.rand.IntN(20); {
	case n < 6: // what a newer server says
		f.Method, f.Echo, f.Times = []string{"sendMessage", "editMessageText"}[g.rand.IntN(2)], strange[g.rand.IntN(len(strange))], 5
	case n < 8:
		f.Method, f.Status, f.RetryAfter = any, 429, 1
	case n < 9:
		f.Method, f.Status, f.Body = any, []int{403, 429, 503}[g.rand.IntN(3)], webPage
	case n < 10:
		f.Method, f.Status, f.Body = any, 502, webPage
	case n < 12:
		f.Method, f.Status = any, []int{500, 502, 504}[g.rand.IntN(3)]
	case n < 13:
		f.Method, f.Drop = any, true
	case n < 14: // the one case that nobody can tell apart
		f.Method, f.Drop, f.After = any, true, true
	case n < 15:
		f.Method, f.Status, f.Empty = "getUpdates", 200, true
	case n < 16:
		f.Method, f.Status, f.Body, f.Times = "getUpdates", 200, `{"ok":true,"result":[]}`, 2
	case n < 17:
		f.Method, f.Status, f.Description = "sendMessageDraft", 400, "Bad Request: TEXTDRAFT_PEER_INVALID"
	case n < 18:
		f.Method, f.Drop, f.After = "getUpdates", true, true
	default:
		f.Method, f.Delay = any, time.Duration(g.rand.IntN(300))*time.Millisecond
	}
	return f
}

// tally counts what became of the tokens. Apart are those whose send was cut
// off, which nobody can tell from one that had no effect: after its effect, and
// they are visible twice; before it, and twice so, and they are given up.
func (g *badTelegram) tally() (l ledger, apart, given int) {
	cut, unknown := map[string]bool{}, map[string]int{}
	for _, c := range g.tg.Calls("sendMessage") {
		token := strings.Fields(c.Fields["text"])[0]
		cut[token] = cut[token] || c.Lost
		if c.Status == 0 || c.Page {
			unknown[token]++
		}
	}
	var seen []telegramtest.SentMessage
	for _, m := range g.tg.Sent() {
		if !m.Deleted {
			seen = append(seen, m)
		}
	}
	l = tally(g.want, seen)
	times := map[string]int{}
	for _, m := range seen {
		times[strings.Fields(m.Text)[0]]++
	}
	for _, tokens := range g.want {
		for _, token := range tokens {
			switch n := times[token]; {
			case n > 1 && cut[token]:
				apart, l.doubled = apart+1, l.doubled-1
			case n == 0 && unknown[token] > 1:
				given, l.lost = given+1, l.lost-1
			}
		}
	}
	return l, apart, given
}

// explain logs the calls for what did not go as it should.
func (g *badTelegram) explain(t *testing.T) {
	for chat, tokens := range g.want {
		for _, token := range tokens {
			n := 0
			for _, m := range g.tg.Sent() {
				if m.Chat == chat && !m.Deleted && strings.Contains(m.Text, token) {
					n++
				}
			}
			if n == 1 {
				continue
			}
			for _, c := range g.tg.Calls("") {
				if strings.Contains(c.Fields["text"], token) {
					t.Logf("%s, visible %d times: %s at %s: %d, lost %v", token, n, c.Method, c.At.Format(time.StampMilli), c.Status, c.Lost)
				}
			}
		}
	}
}
