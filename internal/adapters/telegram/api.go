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
	"parley/internal/text/urls"
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
	_ chat.Speaker       = (*Adapter)(nil)
)

// command is one entry of the bot's menu.
type command struct{ name, description string }

// menu is the commands that one kind of chat is shown behind the slash.
type menu struct {
	where    string // one of the menu constants, or the User.ID of a person, for their direct chat
	commands []command
	in       catalog.Printer // the language of those who see it; English is for all others
}

// Where a menu is shown, as the Bot API names it; the narrower scope wins.
const (
	menuEverywhere = "default"
	menuGroups     = "all_group_chats"
	menuAdmins     = "all_chat_administrators" // in their groups
)

// Register implements chat.Commander: claiming is for direct chats, and the
// owners see everything in theirs.
func (a *Adapter) Register(ctx context.Context, m chat.Menu) error {
	if m.Known {
		return nil
	}
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
	all, err := a.showMenus(ctx, menus)
	if err != nil && !errors.Is(err, bot.ErrorBadRequest) {
		return err
	}
	if err = errors.Join(err, a.describe(ctx, m)); err == nil && !all {
		return chat.ErrUnseen
	}
	return err
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

// showMenus sends Telegram those menus that differ from what it has. Telegram has no "-"
// in command names: it gets "_" instead, which is read back as "-". Somebody who never
// wrote to the bot has no chat to show a menu in: all is false then. After a refusal the
// other menus are still sent; after a failure they are not.
func (a *Adapter) showMenus(ctx context.Context, menus []menu) (all bool, err error) {
	all = true
	for _, m := range menus {
		e := a.showMenu(ctx, m)
		refused := errors.Is(e, bot.ErrorBadRequest)
		all = all && e == nil
		if e != nil && !(refused && strings.Contains(m.where, ":")) {
			err = errors.Join(err, fmt.Errorf("set commands: %w", a.outcome(target{}, e)))
		}
		if e != nil && !refused {
			break
		}
	}
	return all, err
}

func (a *Adapter) showMenu(ctx context.Context, m menu) error {
	scope := map[string]any{"type": m.where}
	if strings.Contains(m.where, ":") {
		who, err := personOf(chat.User{ID: m.where})
		if err != nil {
			return err
		}
		scope = map[string]any{"type": "chat", "chat_id": who.chat}
	}
	params := map[string]any{"scope": scope}
	if m.in != (catalog.Printer{}) { // the other menu is for all who have none in their language
		params["language_code"] = m.in.Tag()
	}
	want := make([]models.BotCommand, len(m.commands))
	for i, c := range m.commands {
		want[i] = models.BotCommand{Command: strings.ReplaceAll(strings.ToLower(c.name), "-", "_"), Description: m.in.Text(c.description)}
	}
	have, err := ask[[]models.BotCommand](ctx, a.wire, "getMyCommands", params)
	if err != nil || slices.Equal(have, want) {
		return err
	}
	params["commands"] = want
	_, err = a.wire.call(ctx, "setMyCommands", params)
	return err
}

// Fetch implements chat.Fetcher. The address of a file has the token in it, so
// it stays out of every error.
func (a *Adapter) Fetch(ctx context.Context, f chat.File, limit int64) ([]byte, error) {
	limit = min(limit, maxFetch)
	if f.Size > limit {
		return nil, chat.ErrFileTooLarge
	}
	file, err := ask[models.File](ctx, a.wire, "getFile", &bot.GetFileParams{FileID: f.Ref})
	switch {
	case refusedFor(err, refusedBig):
		return nil, chat.ErrFileTooLarge
	case refusedFor(err, refusedFile):
		return nil, chat.ErrFileGone
	case err != nil:
		return nil, fmt.Errorf("get file: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.wire.files+file.FilePath, nil)
	if err != nil {
		return nil, errors.New("get file: bad file path")
	}
	resp, err := a.wire.send.Do(req)
	if err != nil {
		return nil, fmt.Errorf("download file: %w", urls.Bare(err))
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
