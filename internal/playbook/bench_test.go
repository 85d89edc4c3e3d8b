package playbook

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// mixedRules has a third each of literals, patterns and plain conditions, all
// of them related to others.
func mixedRules(n int) string {
	var b strings.Builder
	b.WriteString("guidelines:\n")
	for i := range n {
		topic := "topic"
		if i%10 != 0 {
			topic += fmt.Sprint(i)
		}
		cond := []string{"literal:" + topic, fmt.Sprintf(`regex:(?i)\b(order|item)\s+%d\b`, i),
			fmt.Sprintf("the person asks about subject%d", i)}[i%3]
		fmt.Fprintf(&b, "  - {id: r%d, priority: %d, condition: '%s', action: act on %d", i, i%200, cond, i)
		if i > 10 && i%5 == 0 {
			fmt.Fprintf(&b, ", depends_on: {any: [r%d, r%d]}, excludes: [r%d]", i-1, i-2, i-3)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// BenchmarkGuide guides a message of two hundred words that a thirtieth of the rules
// match, and an everyday one that matches one rule.
func BenchmarkGuide(b *testing.B) {
	for name, text := range map[string]string{"long": "topic " + strings.Repeat("and so it goes on ", 40),
		"short": "Hello, what about topic3 and my order, please?"} {
		for _, n := range []int{200, 1000, 5000} {
			b.Run(fmt.Sprint(name, n, "rules"), func(b *testing.B) {
				book := parseBook(b, mixedRules(n))
				for b.Loop() {
					_, err := book.Guide(context.Background(), nil, Situation{Text: text, Now: time.Unix(1, 0)})
					must(b, err)
				}
			})
		}
	}
}

func BenchmarkHistory100k(b *testing.B) {
	book := parseBook(b, twoWays)
	st := longHistory(100_000)
	b.Run("guide", func(b *testing.B) {
		for b.Loop() {
			_, err := book.Guide(context.Background(), nil, Situation{Text: "hm", State: st, Now: time.Unix(1, 0)})
			must(b, err)
		}
	})
	b.Run("status", func(b *testing.B) {
		for b.Loop() {
			_, _, err := book.Status(st)
			must(b, err)
		}
	})
}

func BenchmarkLoad5000(b *testing.B) {
	dir := write1(b, mixedRules(5000))
	for b.Loop() {
		_, err := Load(dir, Options{})
		must(b, err)
	}
}
