package console

import (
	"strings"
	"testing"
)

func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		"# Title\n**a** *b* `<c>` ~~d~~\ne": "<p><b>Title</b></p>\n<p><strong>a</strong> <em>b</em> <code>&lt;c&gt;</code> " +
			"<del>d</del><br>\ne</p>\n",
		"- one\n- two\n\n> said":          "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n<blockquote>\n<p>said</p>\n</blockquote>\n",
		"```html\n<b>\n```":               "<pre tabindex=\"0\">&lt;b&gt;</pre>\n",
		"a <script>x</script> &lt; ||b||": "<p>a &lt;script&gt;x&lt;/script&gt; &lt; ||b||</p>\n",
		"[here](https://a.example/?q=\"x)": "<p><a href=\"https://a.example/?q=&#34;x\" rel=\"noopener noreferrer " +
			"nofollow\" target=\"_blank\">here</a></p>\n",
		"[a](javascript:alert(1))": "<p>a (javascript:alert(1))</p>\n",
		"[bank.example](https://b.example)": "<p><a href=\"https://b.example\" rel=\"noopener noreferrer nofollow\" " +
			"target=\"_blank\">bank.example</a> (b.example)</p>\n",
		"![cat](https://c.example/c.png)": "<p><a href=\"https://c.example/c.png\" rel=\"noopener noreferrer nofollow\" " +
			"target=\"_blank\">cat</a></p>\n",
		"<https://d.example>": "<p><a href=\"https://d.example\" rel=\"noopener noreferrer nofollow\" " +
			"target=\"_blank\">https://d.example</a></p>\n",
	} {
		if got := string(prose(text)); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", text, got, want)
		}
	}
	table := string(prose("| a | b |\n|--:|---|\n| 1 | 2 |"))
	if !strings.Contains(table, `<td align="right">1</td>`) || strings.Contains(table, "style=") {
		t.Errorf("table %s", table)
	}
	if marks := string(prose(strings.Repeat("- ", 15) + strings.Repeat("*a*", 500))); len(marks) > 9000 {
		t.Errorf("%d bytes", len(marks))
	}
}

// No text becomes a tag that loads or runs something.
func FuzzProse(f *testing.F) {
	for _, s := range []string{"<img src=x>", "![a](http://b \"<c>\")", "[<script>](javascript:x)", "`<b>`", "| <i> |\n|-|",
		"&lt;script&gt;", "<http://a/\"onload=x>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := string(prose(s))
		for _, tag := range []string{"<script", "<img", "<svg", "<iframe", "<style", "javascript:x\"", " style="} {
			if strings.Contains(got, tag) && !strings.Contains(s, " style=") {
				t.Errorf("%q became %q", s, got)
			}
		}
	})
}
