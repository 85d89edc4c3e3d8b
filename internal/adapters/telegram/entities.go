package telegram

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-telegram/bot/models"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/text/markdown"
)

// maxColumns is the widest table whose columns are aligned.
const maxColumns = 60

// table lays a table out for a fixed-width block.
func (w *walker) table(n *extast.Table) string {
	t := markdown.ReadTable(n, w.source, utf8.RuneCountInString)
	total := t.Width() + len(" | ")
	var b strings.Builder
	for i, row := range t.Rows {
		line := lineUp(row, t.Widths, total <= maxColumns)
		b.WriteString(line + "\n")
		if i == 0 {
			b.WriteString(strings.Repeat("-", min(total, maxColumns)-min(total, 3)) + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func lineUp(row []string, widths []int, pad bool) string {
	var b strings.Builder
	for i, cell := range row {
		if i > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(cell)
		if pad {
			b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// result returns what was written without trailing space, and the entities as Telegram
// wants them: within the text, and nothing but code on code.
func (w *walker) result() rendered {
	r := rendered{text: strings.TrimRightFunc(w.out.String(), unicode.IsSpace)}
	end := length(r.text)
	var code []models.MessageEntity
	for i := range w.entities {
		e := &w.entities[i]
		if e.Length = min(e.Length, end-e.Offset); isCode(*e) && e.Length > 0 {
			code = append(code, *e)
		}
	}
	for _, e := range w.entities {
		if isCode(e) || e.Type == models.MessageEntityTypeBlockquote {
			r.entities = appendSome(r.entities, e)
			continue
		}
		r.entities = appendAround(r.entities, e, code)
	}
	slices.SortStableFunc(r.entities, func(a, b models.MessageEntity) int {
		if a.Offset != b.Offset {
			return a.Offset - b.Offset
		}
		return b.Length - a.Length
	})
	r.thin()
	return r
}

// thin drops entities beyond what Telegram shows: those at the end first, and spoilers and
// links last.
func (r *rendered) thin() {
	excess := len(r.entities) - maxEntities
	for _, kind := range []models.MessageEntityType{
		models.MessageEntityTypeItalic, models.MessageEntityTypeStrikethrough, models.MessageEntityTypeBold,
		models.MessageEntityTypeCode, models.MessageEntityTypeBlockquote, models.MessageEntityTypePre,
	} {
		for i := len(r.entities) - 1; i >= 0 && excess > 0; i-- {
			if r.entities[i].Type == kind {
				r.entities[i].Length = 0
				excess--
			}
		}
	}
	r.entities = slices.DeleteFunc(r.entities, func(e models.MessageEntity) bool { return e.Length == 0 })
}

func isCode(e models.MessageEntity) bool {
	return e.Type == models.MessageEntityTypeCode || e.Type == models.MessageEntityTypePre
}

// appendAround appends the parts of e that contain no code.
func appendAround(list []models.MessageEntity, e models.MessageEntity, code []models.MessageEntity) []models.MessageEntity {
	from, end := e.Offset, e.Offset+e.Length
	i, _ := slices.BinarySearchFunc(code, from, func(c models.MessageEntity, at int) int { return c.Offset + c.Length - at - 1 })
	for ; i < len(code) && code[i].Offset < end; i++ {
		e.Offset, e.Length = from, code[i].Offset-from
		list = appendSome(list, e)
		from = code[i].Offset + code[i].Length
	}
	e.Offset, e.Length = from, end-from
	return appendSome(list, e)
}

func appendSome(list []models.MessageEntity, e models.MessageEntity) []models.MessageEntity {
	if e.Length <= 0 {
		return list
	}
	return append(list, e)
}
