package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"parley/internal/chat"
)

// maxFetch is the largest file a bot may fetch (platforms.md A3).
const maxFetch = 20 << 20

// Command is one entry of the bot's menu.
type Command struct{ Name, Description string }

// Menu is the commands that one kind of chat is shown behind the slash.
type Menu struct {
	Where    string // one of the Menu constants, or the ID of a person in their direct chat
	Commands []Command
}

// Where a Menu is shown; the narrower one counts.
const (
	MenuEverywhere = ""
	MenuGroups     = "groups"
	MenuAdmins     = "admins" // administrators, in their groups
)

// ShowMenus tells Telegram our menus, those that it does not have just so.
// Telegram has no "-" in command names: "_" is shown for it, and read back as
// "-". Somebody who never wrote to the bot has no chat to show a menu in. One
// menu that is refused keeps none of the others from being shown; calling again
// is cheap once all are.
func (a *Adapter) ShowMenus(ctx context.Context, menus []Menu) (err error) {
	for _, m := range menus {
		if e := a.showMenu(ctx, m); e != nil && !(errors.Is(e, bot.ErrorBadRequest) && strings.Contains(m.Where, ":")) {
			err = errors.Join(err, fmt.Errorf("set commands: %w", a.outcome(target{}, e)))
		}
	}
	return err
}

func (a *Adapter) showMenu(ctx context.Context, m Menu) error {
	var scope models.BotCommandScope
	switch m.Where {
	case MenuEverywhere:
		scope = &models.BotCommandScopeDefault{}
	case MenuGroups:
		scope = &models.BotCommandScopeAllGroupChats{}
	case MenuAdmins:
		scope = &models.BotCommandScopeAllChatAdministrators{}
	default:
		who, err := personOf(chat.User{ID: m.Where})
		if err != nil {
			return err
		}
		scope = &models.BotCommandScopeChat{ChatID: who.chat}
	}
	want := make([]models.BotCommand, len(m.Commands))
	for i, c := range m.Commands {
		want[i] = models.BotCommand{Command: strings.ReplaceAll(strings.ToLower(c.Name), "-", "_"), Description: c.Description}
	}
	have, err := a.bot.GetMyCommands(ctx, &bot.GetMyCommandsParams{Scope: scope})
	if err != nil || slices.Equal(have, want) {
		return err
	}
	_, err = a.bot.SetMyCommands(ctx, &bot.SetMyCommandsParams{Commands: want, Scope: scope})
	return err
}

// IsAdmin says whether a person administers a group now. It is false in direct
// chats and for whoever writes in the name of a chat.
func (a *Adapter) IsAdmin(ctx context.Context, k chat.Key, userID string) (bool, error) {
	to, err := targetOf(k, "")
	if err != nil {
		return false, err
	}
	who, err := personOf(chat.User{ID: userID})
	if err != nil || to.chat > 0 {
		return false, nil
	}
	m, err := a.bot.GetChatMember(ctx, &bot.GetChatMemberParams{ChatID: to.chat, UserID: who.chat})
	if err != nil {
		return false, fmt.Errorf("get chat member: %w", err)
	}
	return m.Type == models.ChatMemberTypeOwner || m.Type == models.ChatMemberTypeAdministrator, nil
}

// Fetch implements chat.Fetcher. The address of a file has the token in it, so
// it stays out of every error.
func (a *Adapter) Fetch(ctx context.Context, f chat.File, limit int64) ([]byte, error) {
	limit = min(limit, maxFetch)
	if f.Size > limit {
		return nil, chat.ErrFileTooLarge
	}
	file, err := a.bot.GetFile(ctx, &bot.GetFileParams{FileID: f.Ref})
	switch {
	case refusedFor(err, refusedBig):
		return nil, chat.ErrFileTooLarge
	case refusedFor(err, refusedFile):
		return nil, chat.ErrFileGone
	case err != nil:
		return nil, fmt.Errorf("get file: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.bot.FileDownloadLink(file), nil)
	if err != nil {
		return nil, errors.New("get file: bad file path")
	}
	resp, err := a.wire.send.Do(req)
	if err != nil {
		return nil, fmt.Errorf("download file: %w", bare(err))
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusOK:
		return chat.ReadFile(resp.Body, limit)
	case http.StatusNotFound:
		return nil, chat.ErrFileGone
	}
	return nil, fmt.Errorf("download file: status %d", resp.StatusCode)
}
