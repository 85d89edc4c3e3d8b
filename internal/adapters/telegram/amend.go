package telegram

import (
	"context"
	"fmt"
	"time"
	"unicode/utf16"

	"github.com/go-telegram/bot"

	"parley/internal/chat"
	whole "parley/internal/text"
)

var (
	_ chat.Amender    = (*Adapter)(nil)
	_ chat.Withdrawer = (*Adapter)(nil)
)

// Withdraw implements chat.Withdrawer.
func (a *Adapter) Withdraw(ctx context.Context, k chat.Key, id string) error {
	to, err := targetOf(k, "")
	if err != nil {
		return nil // there is no such place
	}
	if left := a.quiet.Left(a.now(), to.chat); left > 0 {
		return &chat.WaitError{After: left, Err: errQuiet}
	}
	return a.remove(ctx, to, id)
}

// Amend implements chat.Amender: an edit without buttons takes them away.
func (a *Adapter) Amend(ctx context.Context, k chat.Key, id, text string) error {
	to, err := targetOf(k, "")
	if err != nil {
		return err
	}
	if left := a.quiet.Left(a.now(), to.chat); left > 0 {
		return &chat.WaitError{After: left, Err: fmt.Errorf("telegram asked for silence")}
	}
	pieces := a.Split(text)
	if len(pieces) == 0 {
		return nil
	}
	if err = a.change(ctx, to, id, render(pieces[0]), nil); refusedFor(err, refusedNotModified) {
		return nil
	}
	return a.outcome(to, err)
}

// press is a button that was pressed, to be acknowledged.
type press struct {
	query   string // callback query id
	text    string // shown for a moment, "" for none
	refused bool   // in a window of its own
}

// toastTime bounds how long Toast may take.
const toastTime = time.Second

// maxToast is what Telegram takes, in UTF-16 units.
const maxToast = 200

// toast asks what to tell the person who pressed a button.
func (a *Adapter) toast(m *chat.Message, query string) press {
	p := press{query: query}
	if a.opts.Toast == nil || m.Kind != chat.KindButton {
		return p
	}
	ctx, cancel := context.WithTimeout(context.Background(), toastTime)
	defer cancel()
	p.text, p.refused = a.opts.Toast(ctx, *m)
	for n := maxToast; len(utf16.Encode([]rune(p.text))) > maxToast; n-- {
		p.text = whole.Clip(p.text, n)
	}
	m.Told = p.refused
	return p
}

// acknowledge stops the spinner on pressed buttons and shows a notice. Best effort:
// Telegram forgets a query soon.
func (a *Adapter) acknowledge(ctx context.Context, presses []press) {
	ctx, cancel := context.WithTimeout(ctx, ackLimit)
	defer cancel()
	for _, p := range presses {
		if _, err := a.wire.call(ctx, "answerCallbackQuery", &bot.AnswerCallbackQueryParams{CallbackQueryID: p.query, Text: p.text,
			ShowAlert: p.refused}); err != nil {
			a.log.Debug("telegram: answer callback query", "error", err)
		}
	}
}
