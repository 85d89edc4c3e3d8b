package memory

import "testing"

func TestObjects(t *testing.T) {
	for _, tt := range []struct{ name, base, mine, theirs, want string }{
		{"nothing changed", `{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":1}`},
		{"only mine", `{"a":1}`, `{"a":2}`, `{"a":1}`, `{"a":2}`},
		{"only theirs", `{"a":1}`, `{"a":1}`, `{"a":2}`, `{"a":2}`},
		{"both begin", ``, `{"v":1,"vars":{"x":1}}`, `{"v":1,"tags":["vip"]}`, `{"tags":["vip"],"v":1,"vars":{"x":1}}`},
		{"other keys within", `{"vars":{"x":1}}`, `{"vars":{"x":2}}`, `{"vars":{"x":1,"y":1}}`, `{"vars":{"x":2,"y":1}}`},
		{"the same key", `{"vars":{"x":1}}`, `{"vars":{"x":2}}`, `{"vars":{"x":3}}`, `{"vars":{"x":2}}`},
		{"values are not mixed", `{"vars":{"x":{"v":1,"s":"a"}}}`, `{"vars":{"x":{"v":2,"s":"a"}}}`, `{"vars":{"x":{"v":1,"s":"b"}}}`,
			`{"vars":{"x":{"v":2,"s":"a"}}}`},
		{"I took one out", `{"vars":{"x":1,"y":1}}`, `{"vars":{"y":1}}`, `{"vars":{"x":1,"y":2}}`, `{"vars":{"y":2}}`},
		{"they took one out", `{"vars":{"x":1,"y":1}}`, `{"vars":{"x":1,"y":2}}`, `{"vars":{"y":1}}`, `{"vars":{"y":2}}`},
		{"they forgot all", `{"vars":{"x":1}}`, `{"vars":{"x":2}}`, ``, `{"vars":{"x":2}}`},
		{"no objects", `1`, `2`, `3`, `2`},
	} {
		if got := mergeObjects(tt.base, tt.mine, tt.theirs, 1); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
