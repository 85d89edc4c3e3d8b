// Package judge asks a model which conditions hold and which values a person gave. It
// decides nothing itself, keeps nothing but a cache of verdicts, and never talks to a
// person.
package judge

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"parley/internal/llm"
	"parley/internal/text"
)

//go:embed judge.md
var judgePrompt string

//go:embed again.md
var againPrompt string

// answerSchema has every property required and no free-form object, which is
// what strict structured output asks for.
const answerSchema = `{"type":"object","additionalProperties":false,"required":["conditions","variables","parameters"],"properties":{` +
	`"conditions":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["id","relevance","reason"],"properties":{"id":{"type":"string"},"relevance":{"type":"number"},"reason":{"type":"string"}}}},` +
	`"variables":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["name","value","confidence","withdrawn"],"properties":{"name":{"type":"string"},"value":{"type":"string"},"confidence":{"type":"number"},"withdrawn":{"type":"boolean"}}}},` +
	`"parameters":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["tool","arguments"],"properties":{"tool":{"type":"string"},"arguments":{"type":"string"}}}}}}`

// Judge is a model that judges.
type Judge struct {
	Model llm.Model    // nil: only the cache answers
	Of    string       // whose verdicts of the cache: what others said in the same words says nothing here
	Name  string       // of the model, "" the configured one
	Spend func() error // goes into each request; nil always allows it
	Cache *Cache
}

// Ruling is the outcome of a question.
type Ruling struct {
	// Verdicts are those on what was asked, by name; what the model left out, or what
	// was not asked, has none.
	Verdicts map[string]Verdict
	Usage    llm.Usage
	Calls    int
	Why      []string // for people
	Notes    []string // what went wrong, for the log
}

// Ask gets verdicts: from the cache, or with one call, two for hundreds of conditions,
// and one more in all when an answer cannot be read. recent is the conversation,
// oldest first. Failures become notes.
func (j Judge) Ask(ctx context.Context, all Question, recent []llm.Message) Ruling {
	r := Ruling{Verdicts: map[string]Verdict{}}
	list, left := batches(all, recent)
	if left > 0 {
		r.Why = append(r.Why, fmt.Sprintf("%d conditions were left out of the model call as unlikely", left))
	}
	cached := 0
	again := true
	for _, q := range list {
		switch {
		case len(q.items()) == 0:
			r.Notes = append(r.Notes, "nothing to judge fits into the model call")
		case j.Cache.answers(j.talk(q), q, r.Verdicts):
			cached++
		case j.Model == nil:
			r.Notes = append(r.Notes, fmt.Sprintf("no model to judge %d conditions and %d variables", len(q.Conditions), len(q.Variables)))
		default:
			j.call(ctx, q, &r, &again)
		}
	}
	if cached == len(list) {
		r.Why = append(r.Why, "the model's earlier verdicts on these messages were used")
	}
	return r
}

// call asks the model one question, and a second time while again allows it.
func (j Judge) call(ctx context.Context, q Question, r *Ruling, again *bool) {
	body, err := json.Marshal(q)
	if err != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("judging skipped: %v", err))
		return
	}
	messages := []llm.Message{{Role: llm.RoleSystem, Content: judgePrompt}, {Role: llm.RoleUser, Content: string(body)}}
	for {
		resp, err := j.Model.Complete(ctx, llm.Request{Model: j.Name, Messages: messages, MaxTokens: maxAnswer, Spend: j.Spend,
			Schema: &llm.Schema{Name: "verdicts", JSON: json.RawMessage(answerSchema)}}, nil)
		r.Usage = r.Usage.Add(resp.Usage)
		r.Calls++
		if err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("judging failed, deterministic rules only: %v", err))
			return
		}
		a, err := parse(resp.Message.Content)
		if err == nil {
			j.learn(q, a, r)
			return
		}
		if !*again || ctx.Err() != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("the model's verdicts could not be read, deterministic rules only: %v", err))
			return
		}
		*again = false
		messages = append(messages, llm.Message{Role: llm.RoleAssistant, Content: text.Clip(resp.Message.Content, maxNewest)},
			llm.Message{Role: llm.RoleUser, Content: againPrompt})
	}
}

// learn takes the verdicts on what was asked and keeps them. No verdict is one too.
func (j Judge) learn(q Question, a answer, r *Ruling) {
	r.Notes = append(r.Notes, a.notes...)
	talk := j.talk(q)
	for _, it := range q.items() {
		v := a.verdicts[it.name]
		delete(a.verdicts, it.name)
		j.Cache.put(keyOf(talk, it.name, it.version), v)
		r.Verdicts[it.name] = v
	}
	for _, name := range slices.Sorted(maps.Keys(a.verdicts)) {
		r.Notes = append(r.Notes, fmt.Sprintf("the model judged a %s, which was not asked", text.Shorten(name, 80)))
	}
}

// talk is what verdicts are on: what was said, and to whom.
func (j Judge) talk(q Question) string { return j.Of + "\x00" + q.talk() }

// answers fills in the verdicts on a question about a talk, if the cache has them all.
func (c *Cache) answers(talk string, q Question, into map[string]Verdict) bool {
	found := map[string]Verdict{}
	for _, it := range q.items() {
		v, ok := c.get(keyOf(talk, it.name, it.version))
		if !ok {
			return false
		}
		found[it.name] = v
	}
	maps.Copy(into, found)
	return true
}

// Cache holds the model's verdicts on items of the structured call, by the item's
// version and the messages it was judged on. The oldest entries are dropped first.
type Cache struct {
	mu    sync.Mutex // guards the rest
	items map[cacheKey]Verdict
	order []cacheKey // oldest first
}

type cacheKey [sha256.Size]byte

// maxCached bounds the cache to a few megabytes.
const maxCached = 8192

// NewCache returns an empty one.
func NewCache() *Cache { return &Cache{items: map[cacheKey]Verdict{}} }

// keyOf hashes an item with the messages it is judged on.
func keyOf(talk, item, version string) cacheKey {
	return sha256.Sum256([]byte(talk + "\x00" + item + "\x00" + version))
}

func (c *Cache) get(k cacheKey) (Verdict, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.items[k]
	return v, ok
}

func (c *Cache) put(k cacheKey, v Verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.items[k]; !known {
		c.order = append(c.order, k)
	}
	c.items[k] = v
	if len(c.order) > maxCached {
		delete(c.items, c.order[0])
		c.order = c.order[1:]
	}
}
