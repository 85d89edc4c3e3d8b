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

// BenchmarkGuide is a message of two hundred words that a thirtieth of the
// rules match.
func BenchmarkGuide(b *testing.B) {
	for _, n := range []int{200, 1000, 5000} {
		b.Run(fmt.Sprint(n, "rules"), func(b *testing.B) {
			book := parseBook(b, mixedRules(n))
			s := Situation{Text: "topic " + strings.Repeat("and so it goes on ", 40), Now: time.Unix(1, 0)}
			for b.Loop() {
				if _, err := book.Guide(context.Background(), nil, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkGuideShort is an everyday message that matches one rule.
func BenchmarkGuideShort(b *testing.B) {
	for _, n := range []int{200, 1000, 5000} {
		b.Run(fmt.Sprint(n, "rules"), func(b *testing.B) {
			book := parseBook(b, mixedRules(n))
			s := Situation{Text: "Hello, what about topic3 and my order, please?", Now: time.Unix(1, 0)}
			for b.Loop() {
				if _, err := book.Guide(context.Background(), nil, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkHistory100k(b *testing.B) {
	book := parseBook(b, twoWays)
	st := longHistory(100_000)
	b.Run("guide", func(b *testing.B) {
		for b.Loop() {
			if _, err := book.Guide(context.Background(), nil, Situation{Text: "hm", State: st, Now: time.Unix(1, 0)}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("status", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := book.Status(st); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkLoad5000(b *testing.B) {
	dir := write1(b, mixedRules(5000))
	for b.Loop() {
		if _, err := Load(dir, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
