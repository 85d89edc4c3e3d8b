package telegram

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"parley/internal/chat"
	whole "parley/internal/text"
)

// Limits of one message; docs/platforms.md lists all of Telegram's.
const (
	maxText     = 4096  // UTF-16 units once rendered
	maxBytes    = 32768 // bytes as sent
	maxCaption  = 1024  // UTF-16 units
	maxEntities = 100   // further ones are dropped silently
)

// How long to wait between previews. The platform gives no firm number; about 20
// edits a minute in a group are known to be safe.
const (
	draftPace = time.Second
	editPace  = 3 * time.Second
)

var errQuiet = errors.New("telegram asked for silence in this chat")

// Split implements chat.Outlet: every piece is one message once rendered.
func (a *Adapter) Split(text string) []string {
	return chat.Split(text, func(piece string) bool {
		return len(piece) <= maxBytes && length(piece) <= 2*maxText && render(piece).fits()
	})
}

// target is where one message goes.
type target struct {
	chat   int64
	thread int
	reply  int
}

func (t target) options() *models.ReplyParameters {
	if t.reply == 0 {
		return nil
	}
	return &models.ReplyParameters{MessageID: t.reply, AllowSendingWithoutReply: true}
}

func targetOf(k chat.Key, replyTo string) (target, error) {
	id, err := strconv.ParseInt(k.Channel, 10, 64)
	if err != nil || id == 0 {
		return target{}, &chat.GoneError{Err: fmt.Errorf("no telegram chat %q", k.Channel)}
	}
	thread, _ := strconv.Atoi(k.Thread)
	return target{chat: id, thread: thread, reply: messageNumber(id, replyTo)}, nil
}

// personOf returns the direct chat with a person; both have the same id.
func personOf(u chat.User) (target, error) {
	where, number := chat.CutID(u.ID)
	if where != platform || !Identity.Person(number) {
		return target{}, &chat.GoneError{Err: fmt.Errorf("no direct chat with %q", u.ID)}
	}
	id, _ := strconv.ParseInt(number, 10, 64) // it is a number
	return target{chat: id}, nil
}

// Send implements chat.Outlet. A part with several files is several messages;
// when only some of them arrived the outcome is unknown.
func (a *Adapter) Send(ctx context.Context, p chat.Part) (string, error) {
	id, err := a.send(ctx, p)
	if err == nil {
		a.answered(ctx, p)
	}
	return id, err
}

func (a *Adapter) send(ctx context.Context, p chat.Part) (string, error) {
	to, err := targetOf(p.Key, p.ReplyTo)
	if err != nil {
		return "", err
	}
	if p.Private && to.chat < 0 {
		a.discard(ctx, to, p.Preview)
		p.Preview = ""
		if to, err = personOf(p.To); err != nil {
			return "", err
		}
	}
	if left := a.quiet.Left(a.now(), to.chat); left > 0 {
		return "", &chat.WaitError{After: left, Err: errQuiet}
	}
	if p.Text == "" && len(p.Files) == 0 && p.Preview != "" {
		return "", a.remove(ctx, to, p.Preview)
	}
	if p.Unknown > 0 && p.Preview == "" {
		if err := a.answers(ctx); err != nil {
			return "", err
		}
	}
	r := render(p.Text)
	if p.Ping {
		r = r.calling(p.To)
	}
	if p.Preview != "" && r.text != "" {
		id, err := a.finish(ctx, to, p, r)
		if id == "" && err == nil { // the preview is gone
			p.Preview = ""
			return a.send(ctx, p)
		}
		if err != nil || len(p.Files) == 0 {
			return id, err
		}
		_, err = a.documents(ctx, to, p, id)
		return id, err
	}
	if len(p.Files) > 0 {
		return a.documents(ctx, to, p, "")
	}
	return a.text(ctx, to, r, keyboard(p.Buttons))
}

// answers makes a harmless request before a part is sent again that may have arrived:
// while Telegram does not answer, that attempt would be just as uncertain, and it is the
// last.
func (a *Adapter) answers(ctx context.Context) error {
	if _, err := a.wire.call(ctx, "getMe", struct{}{}); err != nil {
		return fmt.Errorf("nothing is repeated until telegram answers: %v", err)
	}
	return nil
}

// finish edits the preview into the part. id is "" without an error if the preview is gone.
// Edits can be repeated, so an unknown outcome is an ordinary failure here.
func (a *Adapter) finish(ctx context.Context, to target, p chat.Part, r rendered) (id string, err error) {
	err = a.change(ctx, to, p.Preview, r, keyboard(p.Buttons))
	switch {
	case err == nil, refusedFor(err, refusedNotModified):
		return p.Preview, nil
	case refusedFor(err, refusedEdit), refusedFor(err, refusedNoEdit):
		return "", nil
	}
	if err = a.outcome(to, err); errors.Is(err, chat.ErrUnknownOutcome) {
		err = fmt.Errorf("edit: %v", err)
	}
	return "", err
}

// change edits one message; as plain text if its entities are refused.
func (a *Adapter) change(ctx context.Context, to target, id string, r rendered, k models.ReplyMarkup) error {
	message := messageNumber(to.chat, id)
	if message == 0 {
		return fmt.Errorf("%w, %s", bot.ErrorBadRequest, refusedEdit)
	}
	return a.plainly(r, func(r rendered) error {
		_, err := a.wire.call(ctx, "editMessageText", &bot.EditMessageTextParams{
			ChatID: to.chat, MessageID: message, Text: r.text, Entities: r.entities,
			LinkPreviewOptions: noPreview(), ReplyMarkup: k,
		})
		return err
	})
}

// text sends one text message.
func (a *Adapter) text(ctx context.Context, to target, r rendered, k models.ReplyMarkup) (id string, err error) {
	if r.text == "" {
		return "", &chat.GoneError{Err: errors.New("nothing visible to send")}
	}
	err = a.inPlace(&to, func() error {
		return a.plainly(r, func(r rendered) error {
			sent, err := a.wire.call(ctx, "sendMessage", &bot.SendMessageParams{
				ChatID: to.chat, MessageThreadID: to.thread, Text: r.text, Entities: r.entities,
				LinkPreviewOptions: noPreview(), ReplyParameters: to.options(), ReplyMarkup: k,
			})
			if err == nil {
				id = messageID(to.chat, int(sent.field("message_id")))
			}
			return err
		})
	})
	return id, a.outcome(to, err)
}

// documents sends the files of p, its text as caption of the first where that
// fits and before them where not. sent is the message that shows the text
// already, "" for none.
func (a *Adapter) documents(ctx context.Context, to target, p chat.Part, sent string) (first string, err error) {
	r, k := render(p.Text), keyboard(p.Buttons)
	if first = sent; first != "" {
		r, k = rendered{}, nil
	} else if length(r.text) > maxCaption {
		if first, err = a.text(ctx, to, r, k); err != nil {
			return "", err
		}
		r, k, to.reply = rendered{}, nil, 0
	}
	for _, f := range p.Files {
		id, err := a.document(ctx, to, f, r, k)
		if err != nil && first != "" {
			return first, fmt.Errorf("%w: %s was not sent after the rest was: %w", chat.ErrUnknownOutcome, f.Name, errors.New(err.Error()))
		}
		if err != nil {
			return "", err
		}
		if first == "" {
			first = id
		}
		r, k, to.reply = rendered{}, nil, 0
	}
	return first, nil
}

// document sends one file; as a document what its person does not take as a voice message.
func (a *Adapter) document(ctx context.Context, to target, f chat.File, caption rendered, k models.ReplyMarkup) (id string, err error) {
	if id, err = a.file(ctx, to, f, caption, k); f.Voice && refusedFor(err, refusedVoice) {
		f.Voice = false
		id, err = a.file(ctx, to, f, caption, k)
	}
	return id, a.outcome(to, err)
}

func (a *Adapter) file(ctx context.Context, to target, f chat.File, caption rendered, k models.ReplyMarkup) (id string, err error) {
	method, field := "sendDocument", "document"
	if f.Voice {
		method, field = "sendVoice", "voice" // takes the same fields
	}
	err = a.inPlace(&to, func() error {
		return a.plainly(caption, func(r rendered) error {
			sent, err := a.wire.upload(ctx, method, &bot.SendDocumentParams{
				ChatID: to.chat, MessageThreadID: to.thread, ReplyParameters: to.options(), ReplyMarkup: k,
				Caption: r.text, CaptionEntities: r.entities,
			}, field, chat.File{Name: orName(path.Base(f.Name), "file"), Data: f.Data})
			if err == nil {
				id = messageID(to.chat, int(sent.field("message_id")))
			}
			return err
		})
	})
	return id, err
}

// Plays implements chat.Speaker.
func (a *Adapter) Plays(mime string) bool { return mime == "audio/ogg" || mime == "audio/mpeg" }

// plainly makes a call, and repeats it without entities if Telegram refuses them.
func (a *Adapter) plainly(r rendered, call func(rendered) error) error {
	err := call(r)
	if len(r.entities) > 0 && refusedFor(err, refusedEntities) {
		a.log.Warn("telegram: entities refused, sent as plain text", "error", err)
		err = call(rendered{text: r.text})
	}
	return err
}

// inPlace makes a call, and repeats it outside the topic if that is gone.
func (a *Adapter) inPlace(to *target, call func() error) error {
	err := call()
	if to.thread != 0 && refusedFor(err, refusedThread) {
		to.thread, to.reply = 0, 0
		err = call()
	}
	return err
}

// discard removes a preview that must not become the answer. Best effort.
func (a *Adapter) discard(ctx context.Context, to target, preview string) {
	if a.quiet.Left(a.now(), to.chat) > 0 {
		return
	}
	if err := a.remove(ctx, to, preview); err != nil {
		a.log.Debug("telegram: delete preview", "error", err)
	}
}

// remove deletes a preview. It can be repeated; what Telegram refuses to delete stays.
func (a *Adapter) remove(ctx context.Context, to target, preview string) error {
	id := messageNumber(to.chat, preview)
	if id == 0 {
		return nil
	}
	_, err := a.wire.call(ctx, "deleteMessage", &bot.DeleteMessageParams{ChatID: to.chat, MessageID: id})
	switch {
	case err == nil, errors.Is(err, bot.ErrorBadRequest):
		return nil
	}
	if err = a.outcome(to, err); errors.Is(err, chat.ErrUnknownOutcome) {
		err = fmt.Errorf("delete: %v", err)
	}
	return err
}

// Typing implements chat.Outlet; Telegram shows it for 5 s at most.
func (a *Adapter) Typing(ctx context.Context, m chat.Message) error {
	to, err := targetOf(m.Key, m.ID)
	if err != nil || a.quiet.Left(a.now(), to.chat) > 0 {
		return err
	}
	a.notice(ctx, m, to)
	_, err = a.wire.call(ctx, "sendChatAction", &bot.SendChatActionParams{
		ChatID: to.chat, MessageThreadID: to.thread, Action: models.ChatActionTyping,
	})
	return a.outcome(to, err)
}

// Preview implements chat.Outlet: a draft, which leaves nothing behind, in
// private chats, and one edited message elsewhere. Only what fits one message is
// shown.
func (a *Adapter) Preview(ctx context.Context, m chat.Message, id, text string) (string, time.Duration, error) {
	to, err := targetOf(m.Key, m.ID)
	if err != nil {
		return id, editPace, err
	}
	if left := a.quiet.Left(a.now(), to.chat); left > 0 {
		return id, left, nil
	}
	var r rendered
	head := whole.ClipBytes(text, maxBytes/2) // more than is shown
	if pieces := a.Split(head); len(pieces) > 0 {
		r = render(pieces[0])
	}
	switch {
	case r.text == "":
		return id, 0, nil
	case to.chat > 0 && id == "" && !a.draftless(to.chat):
		if err = a.draft(ctx, to, m.Row, r); err == nil || ctx.Err() != nil || errors.As(err, new(*chat.WaitError)) {
			return "", draftPace, err
		}
		a.log.Info("telegram: no drafts here, the answer is shown by edits", "error", err)
	}
	if id == "" {
		id, err = a.text(ctx, to, r, nil)
		return id, editPace, err
	}
	err = a.change(ctx, to, id, r, nil)
	if refusedFor(err, refusedNotModified) {
		err = nil
	}
	return id, editPace, a.outcome(to, err)
}

// draftParams are the library's with the id as the Bot API has it: a number.
type draftParams struct {
	bot.SendMessageDraftParams
	DraftID int64 `json:"draft_id"`
}

// draft shows an answer that is being written; row identifies the draft. A
// refusal is remembered: for the chat, or for all chats when the server does not
// know drafts.
func (a *Adapter) draft(ctx context.Context, to target, row int64, r rendered) error {
	err := a.plainly(r, func(r rendered) error {
		_, err := a.wire.call(ctx, "sendMessageDraft", &draftParams{DraftID: max(row, 1), SendMessageDraftParams: bot.SendMessageDraftParams{
			ChatID: to.chat, MessageThreadID: to.thread, Text: r.text, Entities: r.entities,
		}})
		return err
	})
	switch {
	case errors.Is(err, bot.ErrorNotFound):
		a.undrafted.Put(0, true)
	case errors.Is(err, bot.ErrorBadRequest), errors.Is(err, bot.ErrorForbidden):
		a.undrafted.Put(to.chat, true)
	}
	return a.outcome(to, err)
}

// maxKnown is how many chats are remembered that refuse drafts, or reactions.
const maxKnown = 10_000

// draftless reports whether drafts are refused in a chat, or everywhere.
func (a *Adapter) draftless(chat int64) bool {
	_, here := a.undrafted.Get(chat)
	_, everywhere := a.undrafted.Get(0)
	return here || everywhere
}

func noPreview() *models.LinkPreviewOptions {
	return &models.LinkPreviewOptions{IsDisabled: bot.True()}
}

func keyboard(rows [][]chat.Button) models.ReplyMarkup {
	if len(rows) == 0 {
		return nil
	}
	k := &models.InlineKeyboardMarkup{}
	for _, row := range rows {
		var line []models.InlineKeyboardButton
		for _, b := range row {
			line = append(line, models.InlineKeyboardButton{Text: clean(b.Label), CallbackData: clean(b.Data), URL: b.URL})
		}
		k.InlineKeyboard = append(k.InlineKeyboard, line)
	}
	return k
}
