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
	"parley/internal/text/catalog"
)

// maxFetch is the largest file a bot may fetch.
const maxFetch = 20 << 20

// The optional capabilities of the adapter.
var (
	_ chat.Adapter       = (*Adapter)(nil)
	_ chat.AdminChecker  = (*Adapter)(nil)
	_ chat.Commander     = (*Adapter)(nil)
	_ chat.Confidant     = (*Adapter)(nil)
	_ chat.Fetcher       = (*Adapter)(nil)
	_ chat.Learner       = (*Adapter)(nil)
	_ chat.MemberChecker = (*Adapter)(nil)
)

// command is one entry of the bot's menu.
type command struct{ name, description string }

// menu is the commands that one kind of chat is shown behind the slash.
type menu struct {
	where    string // one of the menu constants, or the ID of a person in their direct chat
	commands []command
	in       catalog.Printer // the language of who sees it; English is for all others
}

// Where a menu is shown; the narrower scope wins.
const (
	menuEverywhere = ""
	menuGroups     = "groups"
	menuAdmins     = "admins" // administrators, in their groups
)

// Register implements chat.Commander: claiming is for direct chats, and the
// owners see everything in theirs.
func (a *Adapter) Register(ctx context.Context, m chat.Menu) error {
	var menus []menu
	for _, p := range catalog.Printers() {
		menus = append(menus,
			menu{menuEverywhere, commandsFor(m, chat.Everybody, chat.Members), p},
			menu{menuGroups, commandsFor(m, chat.Members, chat.Members), p},
			menu{menuAdmins, commandsFor(m, chat.Members, chat.Admins), p})
		for _, id := range m.Owners {
			if strings.HasPrefix(id, platform+":") {
				menus = append(menus, menu{id, commandsFor(m, chat.Members, chat.Owners), p})
			}
		}
	}
	err := a.showMenus(ctx, menus)
	if err != nil && !errors.Is(err, bot.ErrorBadRequest) {
		return err
	}
	return errors.Join(err, a.describe(ctx, m))
}

// commandsFor returns the commands for a range of audiences, verbs included.
func commandsFor(m chat.Menu, from, to chat.Audience) (list []command) {
	for _, c := range m.Commands {
		if from <= c.Least && c.Least <= to {
			list = append(list, command{c.Name, c.Help})
		}
	}
	return list
}

// showMenus sends Telegram those of our menus that differ from what it has.
// Telegram has no "-" in command names: "_" is shown for it, and read back as
// "-". Somebody who never wrote to the bot has no chat to show a menu in. One
// refused menu does not keep the others from being shown, one that does not arrive does:
// the next would not either. Calling again is cheap once all are.
func (a *Adapter) showMenus(ctx context.Context, menus []menu) (err error) {
	for _, m := range menus {
		e := a.showMenu(ctx, m)
		refused := errors.Is(e, bot.ErrorBadRequest)
		if e != nil && !(refused && strings.Contains(m.where, ":")) {
			err = errors.Join(err, fmt.Errorf("set commands: %w", a.outcome(target{}, e)))
		}
		if e != nil && !refused {
			break
		}
	}
	return err
}

func (a *Adapter) showMenu(ctx context.Context, m menu) error {
	var scope models.BotCommandScope
	switch m.where {
	case menuEverywhere:
		scope = &models.BotCommandScopeDefault{}
	case menuGroups:
		scope = &models.BotCommandScopeAllGroupChats{}
	case menuAdmins:
		scope = &models.BotCommandScopeAllChatAdministrators{}
	default:
		who, err := personOf(chat.User{ID: m.where})
		if err != nil {
			return err
		}
		scope = &models.BotCommandScopeChat{ChatID: who.chat}
	}
	language := "" // of the menu for all that have none of their own
	if m.in != (catalog.Printer{}) {
		language = m.in.Tag()
	}
	want := make([]models.BotCommand, len(m.commands))
	for i, c := range m.commands {
		want[i] = models.BotCommand{Command: strings.ReplaceAll(strings.ToLower(c.name), "-", "_"), Description: m.in.Text(c.description)}
	}
	have, err := a.bot.GetMyCommands(ctx, &bot.GetMyCommandsParams{Scope: scope, LanguageCode: language})
	if err != nil || slices.Equal(have, want) {
		return err
	}
	_, err = a.bot.SetMyCommands(ctx, &bot.SetMyCommandsParams{Commands: want, Scope: scope, LanguageCode: language})
	return err
}

// IsAdmin implements chat.AdminChecker. It is false for people who write in the
// name of a chat.
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
