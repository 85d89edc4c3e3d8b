package whatif

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"parley/internal/llm"
	"parley/internal/llm/wrap"
	"parley/internal/text"
	"parley/internal/text/machine"
)

// Asking puts requests to models, within a budget. What they answer goes into a file at
// once, so that a run that was ended goes on where it was and pays for nothing twice.
type Asking struct {
	Offline bool
	Calls   int     // most requests; 0 is no bound
	Money   float64 // most money; 0 is no bound
	Wait    time.Duration
	Failed  error // why the last request that failed did; Run sets it

	fails int
	file  *os.File
	at    map[fingerprint]int64 // where an answer begins in file
	end   int64
	spent struct {
		calls int
		money float64
	}
	prices [2]map[string]wrap.Price
}

// kept is an answer in the file.
type kept struct {
	Print    string       `json:"print"`
	Response llm.Response `json:"response"`
}

// errHeld: what models answer is kept in one file.
var errHeld = text.Tell("Another change is being tried, and models are asked for it. Wait until it ends, or stop it.")

// hold opens the file for this run alone.
func hold(name string) (*os.File, error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if errors.Is(machine.Lock(f), machine.ErrHeld) {
			return nil, errors.Join(errHeld, f.Close())
		}
		mine, err := f.Stat()
		if there, gone := os.Stat(name); err == nil && gone == nil && os.SameFile(mine, there) {
			return f, nil
		}
		if err := errors.Join(err, f.Close()); err != nil { // else its last holder removed it
			return nil, err
		}
	}
}

// Open reads the answers that an earlier run left. A text.Error says that another run, also of
// another process, is asking. The caller calls Close.
func (a *Asking) Open(name string) (err error) {
	if a.Offline {
		return nil
	}
	if a.file, err = hold(name); errors.Is(err, errHeld) {
		return err
	} else if err != nil {
		return fmt.Errorf("keep what models answer: %w", err)
	}
	a.at = map[fingerprint]int64{}
	r := bufio.NewReader(a.file)
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) { // an unfinished line is written over
			return nil
		}
		if err != nil {
			return fmt.Errorf("read what models answered: %w", err)
		}
		var k kept
		var print fingerprint
		if json.Unmarshal(line, &k) == nil {
			if n, err := hex.Decode(print[:], []byte(k.Print)); err == nil && n == len(print) {
				a.at[print] = a.end
			}
		}
		a.end += int64(len(line))
	}
}

// Close closes the file.
func (a *Asking) Close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

// Settle removes the file of Open, which is still open, once nothing is left to ask: it holds
// people's words.
func (a *Asking) Settle(t Tally, name string) error {
	if a.file == nil || t.Requests > 0 {
		return nil
	}
	_ = os.Remove(name) // Windows keeps what is open, empty
	return a.file.Truncate(0)
}

// Spent returns what was asked now, and what it cost.
func (a *Asking) Spent() (calls int, money float64) { return a.spent.calls, a.spent.money }

// ask puts a request to a model. ok is false where nobody is asked any more.
func (a *Asking) ask(ctx context.Context, l Leg, r llm.Request, print fingerprint) (resp llm.Response, ok bool, err error) {
	if a.Offline {
		return resp, false, nil
	}
	if at, known := a.at[print]; known {
		line, err := bufio.NewReader(io.NewSectionReader(a.file, at, a.end-at)).ReadBytes('\n')
		var k kept
		if err == nil {
			err = json.Unmarshal(line, &k)
		}
		return k.Response, err == nil, err
	}
	if a.Calls > 0 && a.spent.calls >= a.Calls || a.Money > 0 && a.spent.money >= a.Money {
		return resp, false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.Wait)
	defer cancel()
	r.Spend = nil
	resp, err = l.Complete(ctx, r, nil)
	a.spent.calls++
	if err != nil {
		return resp, false, a.failed(err, l)
	}
	a.fails = 0
	a.spent.money += l.Price.Of(resp.Usage)
	return resp, true, a.keep(print, resp)
}

// failed notes that a model did not answer. After a few times nobody is asked any more.
func (a *Asking) failed(err error, l Leg) error {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		a.spent.money += l.Price.Of(e.Usage)
	}
	a.Failed = fmt.Errorf("%s: %w", l.Name, err)
	if a.fails++; a.fails >= maxFails {
		a.Offline = true
	}
	return nil
}

// maxFails is how many requests in a row may fail.
const maxFails = 3

func (a *Asking) keep(print fingerprint, resp llm.Response) error {
	line, err := json.Marshal(kept{hex.EncodeToString(print[:]), resp})
	if err != nil {
		return err
	}
	n, err := a.file.WriteAt(append(line, '\n'), a.end)
	if err != nil {
		return fmt.Errorf("keep what a model answered: %w", err)
	}
	a.at[print] = a.end
	a.end += int64(n)
	return nil
}

// priced notes what a model costs.
func (a *Asking) priced(side int, l Leg) {
	if a.prices[side] == nil {
		a.prices[side] = map[string]wrap.Price{}
	}
	a.prices[side][l.Name] = l.Price
}

// price returns the price of the first of some models.
func (a *Asking) price(side int, models []string) wrap.Price {
	if len(models) == 0 {
		return wrap.Price{}
	}
	return a.prices[side][models[0]]
}
