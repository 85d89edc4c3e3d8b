package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/text"
)

// whatsAppLine is the beginning of a message: a date in the order of some country, a time,
// and what follows. iPhones put both in brackets, others a dash behind them.
var whatsAppLine = text.Pattern(`^(\[)?(\d{1,4})[./-] ?(\d{1,2})[./-] ?(\d{1,4})\.?[, ]+` +
	`(\D{0,8}?) ?(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))? ?(\D{0,8}?)(?:\] ?| [-–] )(.*)$`)

// marks are what WhatsApp puts around words for their direction; the first stands before
// what it says itself.
const (
	ownWords  = "\u200e"
	direction = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\ufeff"
)

// afternoons are the words for hours after noon, in the forms that phones write.
var afternoons = map[string]bool{"pm": true, "下午": true, "午後": true, "오후": true, "晚上": true, "م": true}

var mornings = map[string]bool{"am": true, "上午": true, "午前": true, "오전": true, "凌晨": true, "早上": true, "ص": true}

// fillers stand between a day and a time.
var fillers = map[string]bool{"klo": true, "um": true, "à": true, "às": true, "alas": true}

// stamped is what stands before a message.
type stamped struct {
	day          [3]int // as they stand
	hour, minute int
	second       int
	half         int // of the day: 0 is not said, 1, 2
	rest         string
}

// plain has plain spaces and no marks.
func plain(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(direction, r):
			return -1
		case r == '\u202f' || r == '\u00a0':
			return ' '
		}
		return r
	}, line)
}

// stamp reads the beginning of a line; ok is false if no message begins there.
func stamp(line string) (s stamped, ok bool) {
	if at := strings.IndexFunc(line, func(r rune) bool { return !strings.ContainsRune(direction, r) }); at < 0 ||
		line[at] != '[' && (line[at] < '0' || line[at] > '9') {
		return s, false
	}
	m := whatsAppLine().FindStringSubmatch(plain(line))
	if m == nil {
		return s, false
	}
	n := func(i int) int {
		v, _ := strconv.Atoi(m[i]) // digits, or none
		return v
	}
	s = stamped{day: [3]int{n(2), n(3), n(4)}, hour: n(6), minute: n(7), second: n(8), rest: m[10]}
	for _, word := range []string{m[5], m[9]} {
		word = strings.ToLower(strings.Map(func(r rune) rune {
			if strings.ContainsRune(" ., ", r) {
				return -1
			}
			return r
		}, word))
		switch {
		case afternoons[word]:
			s.half = 2
		case mornings[word]:
			s.half = 1
		case word != "" && !fillers[word]:
			return s, false
		}
	}
	return s, s.hour < 24 && s.minute < 60 && s.second < 60
}

// order is how a file writes days: where in it year, month and day stand.
type order [3]int

var orders = []order{{2, 1, 0}, {2, 0, 1}, {0, 1, 2}} // day first, month first, year first

// at returns the time; ok is false if there is no such day.
func (o order) at(s stamped, zone *time.Location) (t time.Time, ok bool) {
	y, m, d := s.day[o[0]], s.day[o[1]], s.day[o[2]]
	if y < 100 {
		y += 2000
	}
	hour := s.hour
	switch {
	case s.half == 2 && hour < 12:
		hour += 12
	case s.half == 1 && hour == 12:
		hour = 0
	}
	t = time.Date(y, time.Month(m), d, hour, s.minute, s.second, 0, zone)
	return t, m >= 1 && m <= 12 && t.Day() == d && y >= 2009 && y < 2100 // it is not older
}

// orderOf finds the order in which a file writes days: one in which all of them exist, and
// that goes back least often; of two alike the one first in orders, unless hours are counted
// twice, as where the month comes first.
func orderOf(in *bufio.Reader) (order, error) {
	var wrong, back [3]int
	var last [3]time.Time
	half := false
	err := eachLine(in, func(line string) error {
		s, ok := stamp(line)
		if !ok {
			return nil
		}
		half = half || s.half > 0
		for i, o := range orders {
			at, ok := o.at(s, time.UTC)
			switch {
			case !ok:
				wrong[i]++
			case at.Before(last[i]):
				back[i]++
				last[i] = at
			default:
				last[i] = at
			}
		}
		return nil
	})
	best := 0
	for i := range orders {
		if wrong[i] < wrong[best] || wrong[i] == wrong[best] && (back[i] < back[best] || back[i] == back[best] && half && i == 1) {
			best = i
		}
	}
	return orders[best], err
}

// eachLine reads lines; what is longer than a message may be comes in pieces.
func eachLine(in *bufio.Reader, fn func(line string) error) error {
	for {
		raw, err := in.ReadSlice('\n')
		long := slices.Clone(raw)
		for errors.Is(err, bufio.ErrBufferFull) && len(long) < maxLine {
			raw, err = in.ReadSlice('\n')
			long = append(long, raw...)
		}
		if len(long) > 0 {
			if ferr := fn(strings.TrimRight(string(long), "\r\n")); ferr != nil {
				return ferr
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// whatsAppFits reports whether a file begins like a chat.
func whatsAppFits(head []byte) bool {
	const most = 20
	for i, line := range bytes.SplitN(head, []byte("\n"), most+1) {
		if _, ok := stamp(string(line)); ok {
			return i < most
		}
	}
	return false
}

// whatsAppTitle is what stands around a chat's name in that of its file.
var whatsAppTitle = text.Pattern(`^(?:WhatsApp Chat (?:with|-)|WhatsApp-Chat mit|Chat WhatsApp con|Chat de WhatsApp con|Discussion WhatsApp avec) | ?\(\d+\)$`)

// whatsApp reads chats as text.
func (r *reading) whatsApp(files []member) error {
	mine := 0
	for _, m := range files {
		if head, err := beginning(m); err != nil || !whatsAppFits(head) {
			if err != nil {
				return err
			}
			r.leave(KindOther)
			continue
		}
		var o order
		find := func(in *bufio.Reader) (err error) { o, err = orderOf(in); return err }
		if err := r.x.read(m, nil, find); err != nil {
			return err
		}
		title := strings.TrimSuffix(m.base(), ".txt")
		if title == "_chat" {
			title = path.Base(path.Dir(m.name))
		}
		title = whatsAppTitle().ReplaceAllString(title, "")
		t := &chatText{reading: r, talk: talk{id: title, title: title}, order: o, mine: &mine}
		if err := r.x.read(m, r.sum, t.read); err != nil {
			return err
		}
	}
	if mine == 0 {
		return r.whoIsWho()
	}
	return nil
}

// whoIsWho says that nobody in a chat is its owner.
func (r *reading) whoIsWho() error {
	names := strings.Join(slices.Sorted(maps.Keys(r.found)), ", ")
	if r.owner.Called == "" {
		return text.Tell("say with --me who of these is %s: %s", r.owner.ID, names)
	}
	return text.Tell("nobody there is called %q; --me takes one of these names: %s", r.owner.Called, names)
}

// chatText is a chat that is read line by line.
type chatText struct {
	*reading
	talk
	order order
	mine  *int // messages of the owner
	now   *words
	own   bool   // it begins with the mark of the program's own words
	said  []byte // of now

	same map[string]int // messages of one time that are alike
	when time.Time
}

func (c *chatText) read(in *bufio.Reader) error {
	zone := c.owner.Zone
	if zone == nil {
		zone = time.UTC
	}
	err := eachLine(in, func(line string) error {
		s, ok := stamp(line)
		switch {
		case ok:
			return c.begin(s, line, zone)
		case c.now == nil:
			c.leave(KindBefore)
		case len(c.said) > maxLine:
			c.leave(KindForm)
		default:
			c.said = append(append(c.said, '\n'), line...)
		}
		return nil
	})
	if err == nil {
		err = c.end()
	}
	return err
}

// begin begins a message.
func (c *chatText) begin(s stamped, line string, zone *time.Location) error {
	if err := c.end(); err != nil {
		return err
	}
	at, ok := c.order.at(s, zone)
	name, said, named := strings.Cut(s.rest, ": ")
	if !named {
		name, named = strings.CutSuffix(s.rest, ":")
	}
	switch {
	case !ok:
		c.leave(KindDate)
		c.now = nil
		return nil
	case !named || len(name) > 200:
		c.leave(KindSystem)
		c.now = nil
		return nil
	}
	_, behind, _ := strings.Cut(line, ": ")
	c.own = strings.HasPrefix(behind, ownWords)
	c.now, c.said = &words{name: strings.TrimSpace(name), at: at}, append(c.said[:0], said...)
	return nil
}

// end hands on the message that was begun.
func (c *chatText) end() error {
	w := c.now
	c.now = nil
	if w == nil {
		return nil
	}
	c.note(w.name)
	text := strings.TrimSpace(string(c.said))
	if c.own || strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") && !strings.Contains(text, "\n") {
		c.leave(KindFile)
		return nil
	}
	if c.when != w.at || c.same == nil {
		c.when, c.same = w.at, map[string]int{}
	}
	w.id = c.identity(*w, text)
	if c.owner.Called != "" && strings.EqualFold(w.name, c.owner.Called) {
		w.name = ""
		*c.mine++
	}
	w.text = text
	return c.say(&c.talk, *w)
}

// identity names a message that has no id: the same at every reading, and another for one
// that says the same in the same minute.
func (c *chatText) identity(w words, text string) string {
	id := Message{User: chat.User{ID: w.name}, At: w.at, Text: text}.complete().ID
	c.same[id]++
	if n := c.same[id]; n > 1 {
		return fmt.Sprint(id, "#", n)
	}
	return id
}
