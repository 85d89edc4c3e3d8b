package telegram

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-telegram/bot/models"
)

// maxDepth bounds how deep an update is decoded part by part; everything used here is
// within it.
const maxDepth = 8

// decode reads an update. The library refuses a whole update if any part has an unknown
// type; then decode reads what it can, and whole is false. A part that is there but
// unreadable is not nil, so that others' words stay marked as such.
func decode(raw []byte, u *models.Update) (whole bool) {
	if json.Unmarshal(raw, u) == nil {
		return true
	}
	salvage(raw, reflect.ValueOf(u).Elem(), maxDepth)
	return false
}

// salvage sets the readable fields of v, and reports whether all were readable.
func salvage(raw json.RawMessage, v reflect.Value, depth int) (whole bool) {
	v.SetZero()
	if depth == 0 {
		return false
	}
	if json.Unmarshal(raw, v.Addr().Interface()) == nil {
		return true
	}
	v.SetZero() // of what was read before the error
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		salvage(raw, v.Elem(), depth-1)
	case reflect.Slice:
		salvageList(raw, v, depth)
	case reflect.Int, reflect.Int64:
		v.SetInt(number(raw))
	case reflect.Struct:
		salvageFields(raw, v, depth)
	}
	return false
}

func salvageFields(raw json.RawMessage, v reflect.Value, depth int) {
	if m, ok := v.Addr().Interface().(*models.MaybeInaccessibleMessage); ok {
		m.Message = &models.Message{}
		salvage(raw, reflect.ValueOf(m.Message).Elem(), depth)
		return
	}
	if _, ok := v.Addr().Interface().(json.Unmarshaler); ok {
		return // of a type that is not known
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return
	}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if part, ok := fields[name]; ok && string(part) != "null" {
			salvage(part, v.Field(i), depth-1)
		}
	}
}

func salvageList(raw json.RawMessage, v reflect.Value, depth int) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return
	}
	for _, part := range list {
		e := reflect.New(v.Type().Elem()).Elem()
		_, marks := e.Interface().(models.MessageEntity) // half of a mark would lie elsewhere
		if salvage(part, e, depth-1) || !marks {
			v.Set(reflect.Append(v, e))
		}
	}
}

// number reads a whole number, possibly in quotation marks; 0 for anything else.
func number(raw []byte) int64 {
	s := string(bytes.Trim(raw, `" `))
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && f > -1<<53 && f < 1<<53 && f == float64(int64(f)) {
		return int64(f)
	}
	return 0
}

// updateNumber returns the update_id of raw, 0 when it has none.
func updateNumber(raw []byte) int64 {
	var head struct {
		ID json.RawMessage `json:"update_id"`
	}
	_ = json.Unmarshal(raw, &head)
	return number(head.ID)
}

// object reports whether raw is a JSON object.
func object(raw []byte) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(raw, &fields) == nil
}
