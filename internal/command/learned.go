package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/facts"
	"parley/internal/provenance"
)

// learnedPage is how many facts a digest shows, with a row of buttons each:
// Discord takes five rows.
const learnedPage = 4

// Learned is a digest of changes, with buttons to keep, to change and to forget each
// fact; more says that there are others. Without changes it is empty.
func Learned(list []facts.Change, page int, more bool) chat.Answer {
	if len(list) == 0 {
		return chat.Answer{}
	}
	lines := []string{wordsLearned}
	var rows [][]chat.Button
	for _, c := range list {
		n := c.Fact.ID
		lines = append(lines, fmt.Sprintf("- #%d %s", n, c.Short()))
		rows = append(rows, []chat.Button{
			{Label: fmt.Sprintf(wordsKeepIt, n), Data: fmt.Sprintf("/facts keep %d", n)},
			{Label: fmt.Sprintf(wordsChangeIt, n), Data: fmt.Sprintf("/facts change %d", n)},
			{Label: fmt.Sprintf(wordsForgetIt, n), Data: fmt.Sprintf("/facts forget %d", n)},
		})
	}
	return chat.Answer{Text: strings.Join(lines, "\n"), Buttons: append(rows, paged("/facts learned", page, more)...)}
}

func (f Facts) learned(ctx context.Context, r admin.Request) (chat.Answer, error) {
	page := max(r.Number("page", 1), 1)
	list, err := f.Find.Learned(ctx, provenance.ViewerOf(r.Message), time.Time{}, learnedPage+1, (page-1)*learnedPage)
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return say(wordsNothingLearned)
	}
	return Learned(list[:min(len(list), learnedPage)], page, len(list) > learnedPage), nil
}

func (f Facts) digest(ctx context.Context, r admin.Request) (chat.Answer, error) {
	if err := f.SetDigest(ctx, r.Message.From.ID, r.Args["when"]); err != nil {
		return chat.Answer{}, err
	}
	words := map[string]string{facts.DigestOff: wordsDigestOff, facts.DigestDaily: wordsDigestDaily, facts.DigestSession: wordsDigestSession}
	return chat.Answer{Text: words[r.Args["when"]]}, nil
}
