package agent

import (
	"context"
	_ "embed" // prompt
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/provenance"
	"parley/internal/text"
)

//go:embed prompts/fold.md
var foldPrompt string

// When a conversation is summarized, and how long its summaries get.
const (
	keepExchanges = 5
	foldAt        = 0.8
	overflowAt    = 1.1
	maxSummary    = 2000 // runes of the rolling summary
	maxClosing    = 500
	maxTitle      = 50
	maxFoldInput  = 24_000 // runes of transcript given to the summarizer at once
)

// folded is what the summarizer returns.
type folded struct {
	Summary   string   `json:"summary"`
	Title     string   `json:"title"`
	Decisions []string `json:"decisions"`
	Facts     []struct {
		Person  string `json:"person"`
		Content string `json:"content"`
		Quote   string `json:"quote"`
		Type    string `json:"type"`
	} `json:"facts"`
}

var foldSchema = &llm.Schema{Name: "folded", JSON: json.RawMessage(`{"type":"object","additionalProperties":false,
"required":["summary","title","decisions","facts"],"properties":{
"summary":{"type":"string"},"title":{"type":"string"},"decisions":{"type":"array","items":{"type":"string"}},
"facts":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["person","content","quote","type"],
"properties":{"person":{"type":"string"},"content":{"type":"string"},"quote":{"type":"string"},"type":{"type":"string"}}}}}}`)}

// limit is the size a request must not pass.
func (a *Agent) limit() int { return min(a.o.TokenBudget, a.o.Limits.Window(a.ModelName())) }

// size is the estimate of what would be sent now, tools included.
func (t *turn) size() int {
	return t.a.o.Limits.Tokens(llm.Request{Model: t.modelName(), Messages: t.messages(), Tools: t.tools.offered().Specs()})
}

// tooLong reports whether a request of this size must be shortened before it is sent.
func (t *turn) tooLong(size int) bool {
	return t.keep && len(t.context.window) > 0 && float64(size) > foldAt*float64(t.a.limit())
}

// shouldFold reports whether the conversation should be shortened now that the
// answer is made and noted: it is close to the budget, or the window is full.
func (a *Agent) shouldFold(t *turn) bool {
	all := slices.Concat(t.context.window, t.context.added)
	cut := cutAt(all, keepExchanges)
	return cut > 0 && (said(all) > a.o.History || float64(t.size()) > foldAt*float64(a.limit()))
}

// said counts the messages among entries: what tools were asked and answered
// comes with the message it served. Counted as well, five exchanges with tools
// would fill the window, and each message would cost a summary.
func said(entries []memory.Entry) (n int) {
	for _, e := range entries {
		if e.Role == llm.RoleUser || e.Role == llm.RoleAssistant && len(e.ToolCalls) == 0 {
			n++
		}
	}
	return n
}

// cutAt is where the last n exchanges begin: a person's words with everything
// after them, so that a tool call is never parted from its result. 0 keeps all.
func cutAt(entries []memory.Entry, n int) int {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Role == llm.RoleUser {
			if n--; n == 0 {
				return i
			}
		}
	}
	return 0
}

// foldAfter shortens a session once its answer has been sent. It runs in the
// lane, so nothing else changes the session meanwhile.
func (a *Agent) foldAfter(ctx context.Context, id string) {
	se, err := a.o.Store.SessionByID(ctx, id)
	if err != nil {
		a.o.Log.Error("fold: read session", "err", err)
		return
	}
	entries, err := a.o.Store.Transcript(ctx, id, se.SummarizedAt, 0)
	if err != nil {
		a.o.Log.Error("fold: read transcript", "err", err)
		return
	}
	cut := cutAt(entries, keepExchanges)
	if cut == 0 {
		return
	}
	se, err = a.shorten(ctx, se, entries[:cut])
	if err != nil {
		a.o.Log.Error("fold", "err", err)
		return
	}
	if err := a.o.Store.SaveSession(ctx, se); err != nil && !errors.Is(err, memory.ErrOutdated) {
		a.o.Log.Error("fold: save", "err", err)
	}
}

// fold shortens the running turn's conversation before it is sent: the last
// five exchanges stay, and fewer when even those are too much.
func (a *Agent) fold(ctx context.Context, t *turn) error {
	for keep := keepExchanges - 1; keep >= 0; keep -= 2 { // the turn itself is one exchange
		cut := len(t.context.window)
		if keep > 0 {
			cut = cutAt(t.context.window, keep)
		}
		if cut > 0 {
			se, err := a.shorten(ctx, t.context.session, t.context.window[:cut])
			if err != nil {
				return err
			}
			t.context.session, t.context.window = se, t.context.window[cut:]
		}
		if float64(t.size()) <= foldAt*float64(a.limit()) {
			break
		}
	}
	return nil
}

// shorten takes entries into the session's summary. A summarizer that fails is
// replaced by a mechanical digest; only ctx's end is an error.
func (a *Agent) shorten(ctx context.Context, se memory.Session, entries []memory.Entry) (memory.Session, error) {
	se.Origin = se.Origin.And(originOf(entries))
	f, err := a.summarize(ctx, se, entries)
	switch {
	case err == nil:
		se.Summary = text.Clip(strings.TrimSpace(f.Summary), maxSummary)
		if se.Origin.Via.Outside() {
			f.Decisions = nil // nobody was asked
		}
		for _, d := range f.Decisions {
			se.Decisions = decide(se.Decisions, d)
		}
		a.learn(ctx, se, f, entries)
	case ctx.Err() != nil:
		return se, context.Cause(ctx)
	default:
		if !errors.Is(err, llm.ErrNone) {
			a.o.Log.Warn("the summarizer failed, a digest takes its place", "err", err)
		}
		se.Summary = text.ClipStart(strings.TrimSpace(se.Summary+"\n"+digest(entries)), maxSummary)
	}
	se.SummarizedAt = entries[len(entries)-1].ID
	se.Compressions++
	return se, nil
}

// summarize asks the model for one structured summary.
func (a *Agent) summarize(ctx context.Context, se memory.Session, entries []memory.Entry) (f folded, err error) {
	var b strings.Builder
	fmt.Fprintf(&b, "Summary so far:\n<data>%s</data>\n\nTranscript:\n<data>\n%s</data>", escapeData(se.Summary), escapeData(text.ClipStart(transcriptText(entries), maxFoldInput)))
	if chat.Payer(ctx).Key == (chat.Key{}) { // after a turn, or by cron
		ctx = chat.PaidBy(ctx, chat.Message{Key: se.Key, From: chat.User{ID: lastSpeaker(entries)}})
	}
	resp, err := a.o.Summarizer.Complete(ctx, llm.Request{
		Model:    a.ModelName(),
		Messages: []llm.Message{{Role: llm.RoleSystem, Content: foldPrompt}, {Role: llm.RoleUser, Content: b.String()}},
		Schema:   foldSchema,
	}, nil)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal([]byte(unfence(resp.Message.Content)), &f); err != nil {
		return f, fmt.Errorf("summary: %w", err)
	}
	if strings.TrimSpace(f.Summary) == "" {
		return f, errors.New("summary: empty")
	}
	return f, nil
}

// lastSpeaker is the last person who said something, "" for nobody.
func lastSpeaker(entries []memory.Entry) string {
	for _, e := range slices.Backward(entries) {
		if e.Role == llm.RoleUser {
			return e.User
		}
	}
	return ""
}

// unfence takes JSON out of a code fence some models put around it.
func unfence(s string) string {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "```"); ok {
		_, rest, _ = strings.Cut(rest, "\n")
		s = strings.TrimSuffix(strings.TrimSpace(rest), "```")
	}
	return s
}

// transcriptText shows entries to the summarizer: what people and the
// assistant said; of tools only that they ran.
func transcriptText(entries []memory.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		switch {
		case e.Role == llm.RoleUser:
			fmt.Fprintf(&b, "[%s] %s: %s\n", e.At.UTC().Format("2006-01-02 15:04"), speaker(e.Name, e.User), provenance.Under(full(e)))
		case e.Role == llm.RoleAssistant && e.Content != "":
			fmt.Fprintf(&b, "%s: %s\n", provenance.Assistant, provenance.Under(e.Content))
		}
	}
	return b.String()
}

// digest is the summary that needs no model: the first line of what was said,
// and the insight of each answer.
func digest(entries []memory.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		switch {
		case e.Role == llm.RoleUser:
			fmt.Fprintf(&b, "%s: %s\n", speaker(e.Name, e.User), provenance.OneLine(insight(provenance.Shown(e.Content, e.Origin.Via))))
		case e.Role == llm.RoleAssistant && e.Insight != "":
			fmt.Fprintf(&b, "%s: %s\n", provenance.Assistant, provenance.OneLine(e.Insight))
		}
	}
	return strings.TrimSpace(b.String())
}
