package agent

import (
	"context"
	"fmt"
	"parley/internal/text/catalog"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/tools"
	"parley/internal/tools/elicit"
	"parley/internal/tools/elicit/fields"
)

// curious is a tool whose server asks for a name and an age before it does
// anything; replies are what it was told.
func curious(replies *[]tools.Reply) tools.Tool {
	meta := tools.Meta{Name: "ask", Description: "asks", Category: tools.Web, Core: true, Lent: tools.Lent{Server: "srv"}}
	return tools.Func(meta, func(ctx context.Context, _ tools.Call, _ struct{}) (tools.Result, error) {
		if !tools.PersonOf(ctx).Asks {
			return tools.Result{Content: "nobody to ask"}, nil
		}
		fields := []fields.Field{{Name: "name", Title: "Name", Kind: fields.Text, Required: true}, {Name: "age", Title: "Age",
			Kind: fields.Whole, Default: 30}}
		return tools.Result{Untrusted: true, Data: tools.Inquiry{Server: "srv", Message: "Who are *you*?", Fields: fields,
			Go: func(r tools.Reply) tools.Tool {
				return continued{func() tools.Result {
					*replies = append(*replies, r)
					return tools.Result{Content: "came of it: " + string(r.Action), Untrusted: true}
				}, meta}
			}}}, nil
	})
}

// continued is a tool that goes on, as those of servers do also for somebody who is gone.
type continued struct {
	does func() tools.Result
	meta tools.Meta
}

func (c continued) Spec() tools.Spec {
	return tools.Func(c.meta, func(context.Context, tools.Call, struct{}) (tools.Result, error) { return c.does(), nil }).Spec()
}

func (c continued) Call(context.Context, tools.Call) (tools.Result, error) { return c.does(), nil }

// fill answers the question of a desk until its server has all.
func fill(b *bench, d *desk, said ...chat.Said) (answer chat.Answer, asked []string) {
	b.t.Helper()
	for _, s := range said {
		say, form, reply := b.Fill(catalog.Printer{}, d.calls[0].Call, chat.Message{Direct: true}, s)
		asked = append(asked, say)
		if form != nil {
			continue
		}
		r := d.resumed([]bool{true})
		r.Reply = &reply
		answer = b.resumed(sent("SECRET answer"), r)
	}
	return answer, asked
}

func TestServersAskFieldByField(t *testing.T) {
	for name, tt := range map[string]struct {
		said []chat.Said
		want string
		end  chat.Outcome
	}{
		"all":           {[]chat.Said{{Text: "Ann"}, {Text: "x"}, {Text: "7"}}, "accept map[age:7 name:Ann]", chat.Confirmed},
		"left out":      {[]chat.Said{{Text: "Ann"}, {Text: "skip", Skip: true}}, "accept map[age:30 name:Ann]", chat.Confirmed},
		"declined":      {[]chat.Said{{Text: "no", No: true}}, "decline map[]", chat.Declined},
		"declined late": {[]chat.Said{{Text: "Ann"}, {Text: "nein", No: true}}, "decline map[]", chat.Declined},
		"stopped":       {[]chat.Said{{Stop: true}}, "cancel map[]", chat.Declined},
	} {
		t.Run(name, func(t *testing.T) {
			d, replies := &desk{}, []tools.Reply{}
			b := newBench(t, Options{Confirm: d.ask}, curious(&replies))
			b.model.Call(call("1", "ask", "{}"))
			b.model.Say("Done.")
			first := b.say("go")
			for _, want := range []string{`**srv** asks you: Who are \*you\*?`, "_1 of 2:_ **Name**", "Do not send passwords"} {
				if !strings.Contains(first, want) {
					t.Errorf("asked %q, lacks %q", first, want)
				}
			}
			answer, asked := fill(b, d, tt.said...)
			if len(replies) != 1 || fmt.Sprint(replies[0].Action, " ", replies[0].Values) != tt.want {
				t.Fatalf("replies %v, want %s", replies, tt.want)
			}
			if answer.Text != "Done." || answer.Record.(*memory.Turn).Decision.End.Outcome != tt.end {
				t.Errorf("then %q, %+v", answer.Text, answer.Record.(*memory.Turn).Decision.End)
			}
			if name == "all" && !strings.HasPrefix(asked[1], "I need a whole number.\n\n_2 of 2:_ **Age**") {
				t.Errorf("then asked %q", asked)
			}
			for _, r := range b.model.Requests() {
				checkPairs(t, r.Messages)
				if strings.Contains(fmt.Sprint(r.Messages), "SECRET") {
					t.Error("the model read the answer, which is for the server")
				}
			}
			checkEnds(t, b, map[string]string{"1": "success"})
		})
	}
}

// What is asked ends with the process: whoever answers later hears so, and
// nothing is done twice.
func TestInquiryDoesNotOutliveTheProcess(t *testing.T) {
	d, replies := &desk{}, []tools.Reply{}
	b := newBench(t, Options{Confirm: d.ask}, curious(&replies))
	b.model.Call(call("1", "ask", "{}"))
	b.say("go")
	b.Agent.inquiries = elicit.Open{Now: time.Now}
	b.model.Say("It was lost.")
	answer, _ := fill(b, d, chat.Said{Text: "Ann"})
	last := b.last().Messages
	if answer.Text != "It was lost." || !strings.Contains(last[len(last)-1].Content, "The tool server's question was lost, because I was restarted before it was answered. Whether "+
		"the tool has done anything is not known; check before calling it again.") || len(replies) != 0 {
		t.Errorf("%q after %q, %v", answer.Text, last[len(last)-1].Content, replies)
	}
}

// A question that nobody has answered in time ends at the server, too, whichever process
// noticed: it would stand in the way of the next one.
func TestInquiryExpires(t *testing.T) {
	d, replies := &desk{}, []tools.Reply{}
	b := newBench(t, Options{Confirm: d.ask}, curious(&replies))
	b.model.Call(call("1", "ask", "{}"))
	b.say("go")
	b.clock = b.clock.Add(time.Minute)
	fill(b, d, chat.Said{Text: "Ann"})
	b.clock = b.clock.Add(time.Minute)
	if b.Agent.ExpireInquiries(2 * time.Minute); len(replies) != 0 {
		t.Fatalf("over too soon: %v", replies)
	}
	b.clock = b.clock.Add(time.Minute)
	if b.Agent.ExpireInquiries(2 * time.Minute); len(replies) != 1 || replies[0].Action != tools.Cancel {
		t.Errorf("the server heard %v", replies)
	}
}

// One thing is asked at a time: further servers of a batch hear that nobody
// answers, and calls that need a yes wait for another one.
func TestOneInquiryAtATime(t *testing.T) {
	d, replies := &desk{}, []tools.Reply{}
	erased := 0
	erase := tools.Func(tools.Meta{Name: "erase", Description: "erases", Category: tools.Task, Core: true,
		Consent: tools.Consent{Confirm: true}},
		func(context.Context, tools.Call, struct{}) (tools.Result, error) {
			erased++
			return tools.Result{Content: "erased"}, nil
		})
	b := newBench(t, Options{Confirm: d.ask}, curious(&replies), erase)
	b.model.Call(call("1", "ask", "{}"), call("2", "erase", "{}"), call("3", "ask", "{}"))
	b.model.Say("Done.")
	b.say("go")
	if len(d.calls) != 1 || d.calls[0].Form == nil || len(replies) != 1 || replies[0].Action != tools.Cancel || erased != 0 {
		t.Fatalf("asked %+v, replies %v, erased %d", d.calls, replies, erased)
	}
	if answer, _ := fill(b, d, chat.Said{Text: "Ann"}, chat.Said{Skip: true}); answer.Text != "Done." || len(replies) != 2 ||
		replies[1].Action != tools.Accept {
		t.Errorf("%q, %v", answer.Text, replies)
	}
	for _, r := range b.model.Requests() {
		checkPairs(t, r.Messages)
	}
}

// Nobody is asked who cannot answer: by helpers, or where nothing asks people.
func TestNobodyToAsk(t *testing.T) {
	var replies []tools.Reply
	b := newBench(t, Options{}, curious(&replies))
	b.model.Call(call("1", "ask", "{}"))
	b.model.Say("Done.")
	b.say("go")
	last := b.last().Messages
	if got := last[len(last)-1].Content; !strings.Contains(got, "nobody to ask") {
		t.Errorf("%q", got)
	}
}
