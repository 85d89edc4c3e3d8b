package telegram

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"parley/internal/chat"
)

// maxFetch is the largest file a bot may fetch (platforms.md A3).
const maxFetch = 20 << 20

// Command is one entry of the bot's menu.
type Command struct{ Name, Description string }

// Commands shows a menu of commands in every chat. Telegram has no "-" in
// command names: "_" is shown for it, and read back as "-".
func (a *Adapter) Commands(ctx context.Context, list []Command) error {
	params := &bot.SetMyCommandsParams{Commands: []models.BotCommand{}}
	for _, c := range list {
		params.Commands = append(params.Commands, models.BotCommand{
			Command:     strings.ReplaceAll(strings.ToLower(c.Name), "-", "_"),
			Description: c.Description,
		})
	}
	if _, err := a.bot.SetMyCommands(ctx, params); err != nil {
		return fmt.Errorf("set commands: %w", err)
	}
	return nil
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

// Fetch opens an attachment by its Ref; the caller closes it. Reading more than
// 20 MB, which Telegram does not serve, is an error.
func (a *Adapter) Fetch(ctx context.Context, f chat.File) (io.ReadCloser, error) {
	if f.Size > maxFetch {
		return nil, fmt.Errorf("fetch %s: %d bytes are more than telegram serves", f.Name, f.Size)
	}
	file, err := a.bot.GetFile(ctx, &bot.GetFileParams{FileID: f.Ref})
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", f.Name, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.bot.FileDownloadLink(file), nil)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: bad file path", f.Name) // err has the token in it
	}
	resp, err := a.wire.send.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", f.Name, bare(err))
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("fetch %s: status %s", f.Name, strconv.Itoa(resp.StatusCode))
	}
	return &capped{ReadCloser: resp.Body, left: maxFetch}, nil
}

var errTooLarge = errors.New("larger than telegram serves")

// capped fails once more than left bytes were read.
type capped struct {
	io.ReadCloser
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}
