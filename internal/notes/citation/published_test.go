package citation

import (
	"cmp"
	"compress/gzip"
	"crypto/sha1"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestPublished measures what becomes of answers out of documents that packages ship, as
// eval/citations says. CITATIONS_FROM names folders, LANGUAGE=FOLDER, separated by commas.
func TestPublished(t *testing.T) {
	from := os.Getenv("CITATIONS_FROM")
	if from == "" {
		t.Skip("CITATIONS_FROM names no folders: see eval/citations/README.md")
	}
	all := &tally{}
	for folder := range strings.SplitSeq(from, ",") {
		language, dir, _ := strings.Cut(strings.TrimSpace(folder), "=")
		one := &tally{}
		for i, p := range published(t, dir) {
			one.play(t, i, p)
		}
		t.Logf("| %s | %s", language, one)
		all.add(one)
	}
	t.Logf("| all | %s", all)
}

// tally counts what became of right and wrong answers.
type tally struct {
	texts, right, altered, noted, wrong, caught int
	kinds                                       [5][2]int // wrong and caught, by changes
}

func (c *tally) String() string {
	s := fmt.Sprintf("%d | %d | %d | %d | %d | %d |", c.texts, c.right, c.altered, c.noted, c.wrong, c.caught)
	for i, k := range c.kinds {
		s += fmt.Sprintf(" %s %d of %d", [5]string{"figures", "names", "quotations", "units", "signs"}[i], k[1], k[0])
	}
	return s
}

func (c *tally) add(o *tally) {
	c.texts, c.right, c.altered, c.noted = c.texts+o.texts, c.right+o.right, c.altered+o.altered, c.noted+o.noted
	c.wrong, c.caught = c.wrong+o.wrong, c.caught+o.caught
	for i := range c.kinds {
		c.kinds[i][0] += o.kinds[i][0]
		c.kinds[i][1] += o.kinds[i][1]
	}
}

// play checks a sentence of a passage as it is, said in other figures, and changed.
func (c *tally) play(t *testing.T, i int, passage string) {
	parts := parted(passage)
	sentence := strings.TrimRight(slices.MaxFunc(parts, func(a, b string) int { return digits(a) - digits(b) }), " .。")
	c.texts++
	for _, answer := range []string{sentence + " [1].", otherwise(sentence) + " [1]."} {
		got := Check(answer, bare(passage))
		c.right++
		if strings.ReplaceAll(got.Text, " "+AbsentNote, "") != answer {
			c.altered++
			t.Logf("altered: %q became %q", answer, got.Text)
		}
		if got.Absent+len(got.Unsure)+got.Unchecked > 0 {
			c.noted++
			t.Logf("right, and noted: %q of %q", got.Text, passage)
		}
	}
	for kind, change := range []func(string, string, int) string{misfigured, misnamed, misquoted, misunit, missigned} {
		changed := change(sentence, passage, i)
		if changed == "" || changed == sentence {
			continue
		}
		c.wrong++
		c.kinds[kind][0]++
		if got := Check(changed+" [1].", bare(passage)); got.Absent > 0 {
			c.caught++
			c.kinds[kind][1]++
		} else {
			t.Logf("wrong, and not noted: %q of %q", changed, passage)
		}
	}
}

func digits(s string) (n int) {
	for _, r := range s {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

var (
	roff     = regexp.MustCompile(`(?m)^[.'].*\n?|\\f[A-Z(\[]|\\[&|,/%]`)
	paragrap = regexp.MustCompile(`\n\s*\n`)
	bracket  = regexp.MustCompile(`\[\d{1,3}\]|\d\s?[²³]`)
	plainNum = regexp.MustCompile(`(?:^|\s)(\d{1,6}(?:[.,]\d{1,3})?)(?:[ ,;)%]|$)`)
	midName  = regexp.MustCompile(`[\p{Ll},] (\p{Lu}\p{Ll}{3,})(?:[ ,;)]|$)`)
	big      = regexp.MustCompile(`(^|\s)(\d)(\d{3})(\s+\p{Ll})`)
	unitWord = regexp.MustCompile(`(\d ?)(seconds?|minutes?|hours?|days?|weeks?|months?|years?|Sekunden|Minuten|Stunden|Tagen?|secondes|minutes|heures|jours|segundos|minutos|horas|días|секунд\pL?|минут\pL?|дн\pL+|MB|KB|GB|ms|USD|EUR|秒|分钟|小时|天)`)
)

// published takes one passage with a figure out of each of 20 files of a folder, those
// whose names have the smallest hashes.
func published(t *testing.T, dir string) (list []string) {
	var files []string
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		name := strings.ToLower(filepath.Base(path))
		named := regexp.MustCompile(`changelog|news|release|readme|history|recipe|\.md$|\.[1-8]\.gz$|^\d[\d.]+\.txt$`).MatchString(name)
		if err == nil && d.Type().IsRegular() && named {
			files = append(files, path)
		}
		return nil
	})
	slices.SortFunc(files, func(a, b string) int {
		x, y := sha1.Sum([]byte(a[len(dir):])), sha1.Sum([]byte(b[len(dir):]))
		return cmp.Compare(string(x[:]), string(y[:]))
	})
	for _, f := range files {
		if p := passageOf(t, f); p != "" {
			list = append(list, p)
		}
		if len(list) == 20 {
			break
		}
	}
	return list
}

// passageOf returns the paragraph of prose with the most figures and bracketed numbers; ""
// without one.
func passageOf(t *testing.T, path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	r := io.Reader(f)
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return ""
		}
	}
	b, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil || !utf8.Valid(b) {
		return ""
	}
	s := string(b)
	if regexp.MustCompile(`\.[1-8]\.gz$`).MatchString(path) {
		s = strings.ReplaceAll(roff.ReplaceAllString(s, ""), `\-`, "-")
	}
	best, most := "", 2
	for _, p := range paragrap.Split(s, -1) {
		p = strings.Join(strings.Fields(p), " ")
		letters := strings.Count(strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || r == ' ' {
				return 'a'
			}
			return r
		}, p), "a")
		n := utf8.RuneCountInString(p)
		if n < 60 || n > 700 || letters*10 < n*7 || strings.ContainsAny(p, "\\|{`") {
			continue
		}
		if score := min(digits(p), 12) + 6*len(bracket.FindAllString(p, 2)) + 3*len(plainNum.FindAllString(p, 3)); score > most {
			best, most = p, score
		}
	}
	return best
}

// otherwise writes a sentence's figures in another way.
func otherwise(s string) string {
	s = big.ReplaceAllString(s, "$1$2,$3$4")
	for digit, word := range map[string]string{" 2 ": " two ", " 3 ": " three ", " 4 ": " four ", " 5 ": " five ", " 10 ": " ten "} {
		s = strings.ReplaceAll(s, digit, word)
	}
	return s
}

// misfigured changes a figure so that the passage has it nowhere.
func misfigured(s, passage string, i int) string {
	m := plainNum.FindStringSubmatchIndex(s)
	if m == nil {
		return ""
	}
	for n := 1; n < 10; n++ {
		changed := fmt.Sprintf("%d%s", 1+(i+n)%9, s[m[2]+1:m[3]])
		if !strings.Contains(passage, changed) {
			return s[:m[2]] + changed + s[m[3]:]
		}
	}
	return ""
}

// misnamed puts another name in the place of one.
func misnamed(s, passage string, i int) string {
	if m := midName.FindStringSubmatchIndex(s); m != nil && !inGerman(s) { // there, it is any noun
		return s[:m[2]] + []string{"Thorwald", "Beatrix", "Okonkwo", "Marchetti"}[i%4] + s[m[3]:]
	}
	return ""
}

// misquoted quotes the first words of a sentence with one of them changed.
func misquoted(s, passage string, i int) string {
	words := strings.Fields(s)
	if len(words) < 5 {
		return ""
	}
	words[2+i%3] = "quux"
	return "“" + strings.Join(words[:min(len(words), 7)], " ") + "”"
}

// misunit says a figure in a unit of another size.
func misunit(s, passage string, _ int) string {
	return unitWord.ReplaceAllStringFunc(s, func(found string) string {
		m := unitWord.FindStringSubmatch(found)
		other := map[rune]string{'s': "hours", 'S': "Stunden", 'M': "GB", 'K': "MB", 'G': "KB", 'U': "EUR", 'E': "USD",
			'秒': "小时", '分': "小时", '小': "分钟", '天': "年", 'с': "часов", 'м': "часов", 'д': "лет"}
		r, _ := utf8.DecodeRuneInString(m[2])
		return m[1] + cmp.Or(other[r], "seconds")
	})
}

// missigned makes a figure that the passage has once negative.
func missigned(s, passage string, _ int) string {
	m := plainNum.FindStringSubmatchIndex(s)
	if m == nil || len(regexp.MustCompile(`\b`+regexp.QuoteMeta(s[m[2]:m[3]])+`\b`).FindAllString(passage, 2)) != 1 {
		return ""
	}
	return s[:m[2]] + "-" + s[m[2]:]
}
