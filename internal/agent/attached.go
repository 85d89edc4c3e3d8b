package agent

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/text"
)

const wordsCut = "_(Your message was longer than 4,000 characters; I read the first 4,000.)_"

// How many messages, over all conversations, have their files in memory at once, and how
// long another waits for its turn.
const (
	maxReaders  = 4
	waitReaders = 20 * time.Second
)

// voiceMark comes before words that were spoken.
const voiceMark = "[voice] "

// attach opens the files. A file that cannot be used adds a sentence and never costs the
// answer; the only error is ctx's. Call done when the turn is over.
func (t *turn) attach(ctx context.Context) (done func(), err error) {
	if len(t.m.Files) == 0 {
		return func() {}, nil
	}
	select {
	case t.a.readers <- struct{}{}:
		done = func() { <-t.a.readers }
	case <-time.After(waitReaders):
		t.in.files.Sorry = append(t.in.files.Sorry, t.in.p.Text("I am busy with too many files to open yours. Please send it again in a moment."))
		t.in.addTranscripts()
		return func() {}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	t.in.files = t.a.o.Files.Read(ctx, t.a.o.Log, t.m, 2*t.a.limit()) // half of the tokens, four runes each
	if len(t.in.files.Images) == 0 {                                  // text is small; images are held until the model has answered
		done()
		done = func() {}
	}
	if ctx.Err() != nil {
		done()
		return nil, context.Cause(ctx)
	}
	t.in.addTranscripts()
	return done, nil
}

// addTranscripts appends transcribed voice to the author's text, and the files' sentences
// to the notice.
func (in *input) addTranscripts() {
	for _, s := range in.files.Said {
		in.text = strings.TrimSpace(in.text + "\n" + voiceMark + s)
	}
	if utf8.RuneCountInString(in.text) > maxUsed {
		in.text = text.Clip(in.text, maxUsed)
		in.notice = in.p.Text(wordsCut)
	}
	in.tell(strings.Join(in.files.Sorry, "\n"))
}

func (in *input) tell(words string) { in.notice = strings.TrimSpace(in.notice + "\n\n" + words) }

// blind removes the images from the turn because the model refused them.
func (t *turn) blind() {
	t.in.files.Blind()
	t.in.tell(t.in.p.Text("I could not look at the picture: my model did not take it."))
	if t.report.settles == nil { // else it came from a tool, and what the person said is their yes
		t.context.added[0] = t.context.heard()
	}
}
