package config

import (
	"fmt"
	"reflect"
	"strings"
)

// String returns the configuration as YAML, without secrets.
func (c Config) String() string {
	var b strings.Builder
	writeYAML(&b, reflect.ValueOf(c), "", false)
	return b.String()
}

// Example returns bot.example.yaml: every setting with its default and its sentence.
func Example() string {
	var b strings.Builder
	b.WriteString(`# Settings of Parley. Copy this file to bot.yaml and keep what you change.
# Everything here is the default. The environment wins over this file
# (session.ttl is BOT_SESSION_TTL) and flags win over both. Keep secrets out of
# it: every secret can come from a file named by its variable with _FILE added.

`)
	writeYAML(&b, reflect.ValueOf(Default()), "", true)
	return b.String()
}

// writeYAML writes a struct as a block mapping.
func writeYAML(b *strings.Builder, v reflect.Value, indent string, docs bool) {
	for _, field := range fields(v.Type()) {
		value, name := v.FieldByIndex(field.Index), field.Tag.Get("yaml")
		if value.Kind() == reflect.Struct {
			if docs && indent == "" {
				b.WriteByte('\n')
			}
			fmt.Fprintf(b, "%s%s:\n", indent, name)
			writeYAML(b, value, indent+"  ", docs)
			continue
		}
		s := newSetting(field, value, name)
		if docs {
			fmt.Fprintf(b, "%s# %s\n", indent, s.sentence())
		}
		if isSections(value.Type()) {
			writeSections(b, value, indent, name)
			if docs {
				writeElement(b, value.Type().Elem(), indent, name)
			}
			continue
		}
		text := s.yaml()
		if docs && s.Default != "" {
			text = s.Default // 300s, not 5m
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, name, text)
	}
}

func writeSections(b *strings.Builder, list reflect.Value, indent, name string) {
	if list.Len() == 0 {
		fmt.Fprintf(b, "%s%s: []\n", indent, name)
		return
	}
	fmt.Fprintf(b, "%s%s:\n", indent, name)
	for i := range list.Len() {
		var item strings.Builder
		writeYAML(&item, list.Index(i), indent+"    ", false)
		b.WriteString(strings.Replace(item.String(), indent+"    ", indent+"  - ", 1))
	}
}

// writeElement writes, as comments, the fields of one entry of a list of sections.
func writeElement(b *strings.Builder, t reflect.Type, indent, list string) {
	fmt.Fprintf(b, "%s# %s:\n", indent, list)
	for i, field := range fields(t) {
		name, lead := field.Tag.Get("yaml"), "    "
		if i == 0 {
			lead = "  - "
		}
		if field.Type.Kind() == reflect.Struct && field.Tag.Get("doc") == "" {
			var inner strings.Builder
			writeElement(&inner, field.Type, "", name)
			for line := range strings.Lines(strings.Replace(inner.String(), "  - ", "    ", 1)) {
				b.WriteString(indent + "#     " + strings.Replace(strings.TrimPrefix(line, "# "), "    ", "  ", 1))
			}
			continue
		}
		s := newSetting(field, reflect.New(field.Type).Elem(), name)
		fmt.Fprintf(b, "%s# %s%-28s # %s\n", indent, lead, strings.TrimSpace(name+": "+s.Default), s.sentence())
	}
}

// sentence returns the doc with the range.
func (s *Setting) sentence() string {
	if s.Range == "" {
		return s.Doc
	}
	return s.Doc + " (" + s.rangeText() + ")"
}

func (s *Setting) rangeText() string {
	if low, high, ok := strings.Cut(s.Range, ".."); ok {
		return low + " to " + high
	}
	return strings.ReplaceAll(s.Range, "|", ", ")
}

// yaml returns the value on one line, secrets hidden.
func (s *Setting) yaml() string {
	v := s.value
	switch {
	case v.Kind() == reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = quote(fmt.Sprint(v.Index(i).Interface()))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case v.Kind() == reflect.String:
		return quote(s.text())
	}
	return s.text()
}

// quote writes text as a double-quoted YAML scalar.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// Table returns the settings as the table in docs/settings.md.
func Table() string {
	var b strings.Builder
	b.WriteString("| setting | default | range | environment | meaning |\n|---|---|---|---|---|\n")
	for _, s := range Settings() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", s.Path, code(s.Default), s.rangeText(), code(s.Env), s.Doc)
	}
	return b.String()
}

func code(text string) string {
	if text == "" {
		return "–"
	}
	return "`" + text + "`"
}
