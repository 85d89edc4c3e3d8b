package importer

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"
)

// discord reads Discord's data package: what its owner wrote, channel by channel.
func (r *reading) discord(files []member) error {
	index := map[string]lax{} // channel: what it is called
	channels := map[string]*talk{}
	for _, m := range files {
		dir := path.Dir(m.name)
		var into any
		c := &talk{id: strings.TrimPrefix(strings.ToLower(path.Base(dir)), "c")}
		var channel struct {
			ID    lax `json:"id"`
			Name  lax `json:"name"`
			Guild struct {
				Name lax `json:"name"`
			} `json:"guild"`
		}
		switch strings.ToLower(m.base()) {
		case "index.json":
			into = &index
		case "channel.json":
			into = &channel
		default:
			continue
		}
		small := func(in *bufio.Reader) error { return r.small(in, into) }
		if err := r.x.read(m, r.sum, small); err != nil {
			return err
		}
		if into == &channel {
			c.id, c.title = cmp.Or(string(channel.ID), c.id), string(channel.Name)
			if channel.Guild.Name != "" {
				c.title += " (" + string(channel.Guild.Name) + ")"
			}
			channels[dir] = c
		}
	}
	for _, m := range files {
		read := map[string]func(*talk, *bufio.Reader) error{
			"messages.json": r.discordJSON, "messages.csv": r.discordCSV}[strings.ToLower(m.base())]
		if read == nil {
			continue
		}
		c := channels[path.Dir(m.name)]
		if c == nil {
			c = &talk{id: strings.TrimPrefix(strings.ToLower(path.Base(path.Dir(m.name))), "c")}
		}
		c.title = cmp.Or(c.title, string(index[c.id]))
		if err := r.x.read(m, r.sum, func(in *bufio.Reader) error { return read(c, in) }); err != nil {
			return err
		}
	}
	return nil
}

// small decodes a file that describes others; one that cannot be read is counted.
func (r *reading) small(in io.Reader, into any) error {
	b, err := io.ReadAll(io.LimitReader(in, maxLine))
	if err == nil && json.Unmarshal(b, into) != nil {
		r.leave(KindForm)
	}
	return err
}

// discordJSON reads messages of newer packages.
func (r *reading) discordJSON(t *talk, in *bufio.Reader) error {
	p := newPieces(in, "Discord package")
	return p.allOf(in, func() error {
		var m discordMessage
		fits, err := p.value(&m)
		if err != nil || !fits {
			if err == nil {
				r.leave(KindForm)
			}
			return err
		}
		p.last = string(m.ID)
		return r.fromDiscord(t, m)
	})
}

// discordCSV reads messages of older packages.
func (r *reading) discordCSV(t *talk, in *bufio.Reader) error {
	first(in)
	from := &sipping{r: in}
	rows := csv.NewReader(from)
	rows.FieldsPerRecord, rows.LazyQuotes = -1, true
	for n := 0; ; n++ {
		from.sip()
		row, err := rows.Read()
		var broken *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &broken) || err == nil && len(row) < 3:
			r.leave(KindForm)
			continue
		case err != nil:
			return err
		case n == 0 && strings.EqualFold(row[0], "ID"):
			continue
		}
		m := discordMessage{ID: lax(row[0]), At: lax(row[1]), Text: lax(row[2])}
		if len(row) > 3 {
			m.Files = lax(row[3])
		}
		if err := r.fromDiscord(t, m); err != nil {
			return err
		}
	}
}

// discordMessage is a message of a package.
type discordMessage struct {
	ID    lax `json:"ID"`
	At    lax `json:"Timestamp"`
	Text  lax `json:"Contents"`
	Files lax `json:"Attachments"`
}

func (r *reading) fromDiscord(t *talk, m discordMessage) error {
	r.leaveSome(KindFile, int64(len(strings.Fields(string(m.Files)))))
	when, _ := moment(string(m.At)) // what has none is counted
	return r.say(t, words{id: string(m.ID), text: string(m.Text), at: when})
}
