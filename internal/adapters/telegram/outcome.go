package telegram

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-telegram/bot"

	"parley/internal/chat"
)

// outcome turns an error of a call for to into one of the classes that
// chat.Outlet.Send promises, and remembers a retry_after.
func (a *Adapter) outcome(to target, err error) error {
	var (
		wait  *bot.TooManyRequestsError
		move  *bot.MigrateError
		fault *callError
		pause *pausedError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &pause):
		return &chat.WaitError{After: pause.left, Err: err}
	case errors.As(err, &wait):
		after := retryAfter(err)
		a.quiet.Keep(to.chat, after, a.now())
		return &chat.WaitError{After: after, Err: err}
	case errors.As(err, &move):
		return &chat.MovedError{To: place(int64(move.MigrateToChatID), to.thread), Err: err}
	case errors.As(err, &fault) && fault.written:
		return fmt.Errorf("%w: %w", chat.ErrUnknownOutcome, err)
	case errors.Is(err, bot.ErrorForbidden), shut(err):
		return &chat.GoneError{Err: err, Closed: true}
	case errors.As(err, &fault) && fault.status == http.StatusRequestEntityTooLarge, errors.Is(err, bot.ErrorBadRequest):
		return &chat.GoneError{Err: err}
	}
	return err
}

// retryAfter returns the pause err asks for; 0 for none.
func retryAfter(err error) time.Duration {
	var pause *pausedError
	if errors.As(err, &pause) {
		return pause.left
	}
	var wait *bot.TooManyRequestsError
	if !errors.As(err, &wait) {
		return 0
	}
	return silence(int64(max(wait.RetryAfter, 1)))
}

// refusedFor reports whether Telegram refused a request with a description that
// contains what (lower case).
func refusedFor(err error, what string) bool {
	return errors.Is(err, bot.ErrorBadRequest) && strings.Contains(strings.ToLower(err.Error()), what)
}

// shut reports whether Telegram refused a request because of the chat, whatever is sent.
func shut(err error) bool {
	return slices.ContainsFunc([]string{refusedChat, "chat_write_forbidden", "topic_closed", "no rights to send a message",
		"not enough rights to send text messages", "need administrator rights in the channel chat"},
		func(what string) bool { return refusedFor(err, what) })
}

// Parts of Telegram's descriptions of refusals, in lower case, that we handle.
const (
	refusedChat        = "chat not found" // also of a person who never wrote to the bot
	refusedEntities    = "entit"          // "can't parse entities", "entity beginning at ..."
	refusedVoice       = "voice_messages_forbidden"
	refusedThread      = "thread not found"
	refusedNotModified = "message is not modified"
	refusedEdit        = "message to edit not found"
	refusedNoEdit      = "message can't be edited"
	refusedBig         = "file is too big"
	refusedFile        = "file_id" // "wrong file_id or the file is temporarily unavailable"
)
