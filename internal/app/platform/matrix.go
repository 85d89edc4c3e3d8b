package platform

import (
	"context"
	"strings"

	"parley/config"
	"parley/internal/adapters/matrix"
	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

var matrixPlatform = Platform{Identity: matrix.Identity, Deletes: true, Hosted: &Hosted{
	Title: "Matrix",
	Token: func(c *config.Config) *config.Secret { return &c.Matrix.Token },
	Form:  text.Pattern(`^(syt|mat|mct)_[\w+/=-]{16,}$`),
	AskToken: catalog.Words(`3. Make an account for the bot on your homeserver, and write the server's address into
   matrix.server. In Element, logged in as the bot: All settings, Help & About, Access
   Token; then close the window without logging out. The token (or skip):`),
	AskOwner: catalog.Words(`4. Who owns it? Enter: you, with a code that the start shows; or your Matrix id,
   such as @anna:example.org [with the code]:`),
	Invite: func(a Account) catalog.Phrase {
		return catalog.Fill("Matrix: write to %[1]s, or invite %[1]s into a room that is not encrypted.", a.ID)
	},
	Account: askMatrix,
	Open: func(cfg config.Config, s Surroundings) (chat.Adapter, error) {
		return matrix.New(matrix.Options{
			Server: cfg.Matrix.Server, Token: string(cfg.Matrix.Token), Log: s.Log, Welcome: s.Welcome, Command: s.Command, Unread: unread(s),
		})
	},
	OneAtATime: func(config.Config) bool { return true },
}}

// unread says in a member's language that a room is not read.
func unread(s Surroundings) func(ctx context.Context, member string) string {
	return func(ctx context.Context, member string) string {
		if s.Speak != nil {
			ctx = s.Speak(ctx, chat.User{ID: member})
		}
		return catalog.Text(ctx, wordsUnread)
	}
}

const wordsUnread = "Messages in this room are encrypted, and I cannot read them. Please talk with me in a room without encryption."

// askMatrix looks up the bot.
func askMatrix(ctx context.Context, cfg config.Config) (a Account, err error) {
	base, login := strings.TrimRight(cfg.Matrix.Server, "/")+"/_matrix/client/", "Bearer "+string(cfg.Matrix.Token)
	var me struct {
		ID string `json:"user_id"`
	}
	if a.Date, err = get(ctx, base+"v3/account/whoami", login, &me); err != nil {
		return a, explain(err, "Matrix", "get a new one, and check that matrix.server is the address of the bot's homeserver")
	}
	if a.Name, a.ID = me.ID, me.ID; me.ID == "" {
		return a, text.Tell("Matrix: matrix.server answers, but not as a homeserver does")
	}
	return a, nil
}
