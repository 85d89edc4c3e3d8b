package text

import (
	"strings"
	"testing"
)

func TestHonest(t *testing.T) {
	const evil = "https://evil.tld/x"
	for _, c := range []struct{ in, added string }{ // added is what follows the link, "" for nothing
		{"[here](" + evil + ")", ""},
		{"[our page](https://bank.com)", ""},
		{"[bank.com](https://bank.com/login)", ""},
		{"[https://www.bank.com/a](https://bank.com/b)", ""},
		{"[bank.com](https://login.bank.com)", ""},
		{"[bank.com:443](https://bank.com:8443)", ""},
		{"[BANK.com.](https://bank.COM.)", ""},
		{"[e.g. this one](" + evil + ")", ""},
		{"[Done. Now go](" + evil + ")", ""},
		{"[version 1.2](" + evil + ")", ""},
		{"`[bank.com](https://evil.tld)`", ""},
		{"```\n[bank.com](https://evil.tld)\n```", ""},
		{"mail me@bank.com or https://x.y/@name", ""},
		{"[https://bank.com](" + evil + ")", "evil.tld"},
		{"[bank.com](" + evil + ")", "evil.tld"},
		{"[**bank.com**](" + evil + ")", "evil.tld"},
		{"[`bank.com`](" + evil + ")", "evil.tld"},
		{"[bank\\.com](" + evil + ")", "evil.tld"},
		{"[bank&#46;com](" + evil + ")", "evil.tld"},
		{"[go to bank.com now](" + evil + ")", "evil.tld"},
		{"[bank . com](" + evil + ")", "evil.tld"},
		{"[b a n k . c o m](" + evil + ")", "evil.tld"},
		{"[ba\u200Bnk.com](" + evil + ")", "evil.tld"},
		{"[bank。com](" + evil + ")", "evil.tld"},
		{"[ｂａｎｋ.ｃｏｍ](" + evil + ")", "evil.tld"},
		{"[bank.com](https://bank.com.evil.tld)", "bank.com.evil.tld"},
		{"[bank.com](https://bank.com@evil.tld/)", "evil.tld"},
		{"[here](https://bank.com@evil.tld/)", "evil.tld"},
		{"[bank.com](https://bаnk.com)", "xn--bnk-6cd.com"},
		{"[bаnk.com](https://bank.com)", "bank.com"},
		{"[xn--bnk-6cd.com](https://evil.tld)", "evil.tld"},
		{"[bank.com](<" + evil + ">)", "evil.tld"},
		{"[bank.com](" + evil + " \"a title\")", "evil.tld"},
		{"[see [bank.com]](" + evil + ")", "evil.tld"},
		{"[bank.com](https://evil.tld/a_(b))", "evil.tld"},
		{"![bank.com](" + evil + ")", "evil.tld"},
		{"[10.0.0.1](" + evil + ")", "evil.tld"},
		{"[http://localhost](" + evil + ")", "evil.tld"},
		{"[help@bank.com](" + evil + ")", "evil.tld"},
		{"[банк.рф](" + evil + ")", "evil.tld"},
		{"[bank.com](//evil.tld)", "evil.tld"},
		{"[bank.com](tg://user?id=1)", "user"},
		{"[bank.com](javascript:alert)", "javascript:alert"},
		{"https://bank.com@evil.tld/x", "evil.tld"},
	} {
		want := c.in
		if c.added != "" {
			want += " (" + c.added + ")"
		}
		got := Honest(c.in)
		if got != want {
			t.Errorf("%q became %q, want %q", c.in, got, want)
		}
		if again := Honest(got); again != got {
			t.Errorf("%q is said twice: %q", got, again)
		}
		if got := Honest("See " + c.in + ", please."); c.added != "" && !strings.HasPrefix(got, "See "+want) {
			t.Errorf("within a sentence: %q", got)
		}
	}
}

func FuzzHonest(f *testing.F) {
	for _, s := range []string{"[bank.com](https://evil.tld)", "[a [b.co]](<https://e.vil>) `x`", "https://a.b@c.de.",
		"```\n[x.y](z)\n", strings.Repeat("[", 50) + "](a)", "[x.yy](://%zz)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Honest(s)
		if again := Honest(got); again != got {
			t.Errorf("%q is not stable: %q, then %q", s, got, again)
		}
		if len(got) < len(s) {
			t.Errorf("%q lost something: %q", s, got)
		}
	})
}
