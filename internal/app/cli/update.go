package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley/config"
	"parley/internal/text"
)

// Update tells whether there is a newer release. It installs nothing.
type Update struct {
	Check bool   `help:"Look for a newer release, and only tell."`
	From  string `help:"Where releases are: the address of a folder with SHA256SUMS (default update.from)." placeholder:"URL"`
}

const (
	updatePatience = 15 * time.Second
	mostSums       = 1 << 20 // bytes
)

// released finds the version in the name of a release in SHA256SUMS.
var released = regexp.MustCompile(`(?m)^[0-9a-f]{64} [ *]parley_(v[0-9][0-9A-Za-z.+-]*)_[a-z]+_[0-9a-z]+\.(?:tar\.gz|zip)$`)

// Run asks once, where the owner said and nowhere else, and says what was found.
func (u Update) Run(ctx context.Context, cfg config.Config, s *Streams, b *Bot) error {
	if !u.Check {
		return text.Tell("updates are installed with install.sh or your package manager, see docs/install.md; " +
			"bot update --check tells whether there is one")
	}
	from := cmp.Or(u.From, cfg.Update.From)
	if from == "" {
		return text.Tell("where are the releases? Set update.from to the address of the folder with SHA256SUMS, or say --from URL")
	}
	newest, err := newestAt(ctx, from)
	if err != nil {
		return err
	}
	switch here, known := parseRelease(b.Version); {
	case !known:
		_, err = fmt.Fprintln(s.Out, Speaks().Say("The newest release at %s is %s. This program is %s, which is no release.",
			from, newest, b.Version))
	case newest.compare(here) > 0:
		_, err = fmt.Fprintln(s.Out, Speaks().Say("%s is there: this is %s. It was not downloaded; what changed is in its CHANGELOG.md, "+
			"how to install it in docs/install.md.", newest, b.Version))
	default:
		_, err = fmt.Fprintln(s.Out, Speaks().Say("This is %s, and %s has nothing newer.", b.Version, from))
	}
	return err
}

// newestAt returns the newest release that a folder's SHA256SUMS names.
func newestAt(ctx context.Context, from string) (newest release, err error) {
	ctx, cancel := context.WithTimeout(ctx, updatePatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(from, "/")+"/SHA256SUMS", nil)
	if err != nil || req.URL.Host == "" || req.URL.Scheme != "https" && req.URL.Scheme != "http" {
		return release{}, text.Tell("%s is no address of a folder: it begins with https:// and names a host", from)
	}
	req.Header.Set("User-Agent", "Parley")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return release{}, text.Tell("%s cannot be reached, so nothing is known of newer releases: %w", req.URL.Host, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return release{}, text.Tell("there is no SHA256SUMS at %s: %s", from, resp.Status)
	}
	sums, err := io.ReadAll(io.LimitReader(resp.Body, mostSums))
	if err != nil {
		return release{}, text.Tell("%s ended in the middle of its answer, so nothing is known of newer releases: %w", req.URL.Host, err)
	}
	for _, m := range released.FindAllSubmatch(sums, -1) {
		if r, ok := parseRelease(string(m[1])); ok && (newest.said == "" || r.compare(newest) > 0) {
			newest = r
		}
	}
	if newest.said == "" {
		return release{}, text.Tell("what %s has as SHA256SUMS names no release of Parley", from)
	}
	return newest, nil
}

// release is a version such as v1.2.0, v1.2.0-rc.1 before it, or v1.2.0-3-gabc after it.
type release struct {
	said    string
	numbers [3]int
	later   int // commits after it
	before  []string
}

var (
	releaseForm = regexp.MustCompile(`^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$`)
	afterwards  = regexp.MustCompile(`(?:^|-)(\d+)-g[0-9a-f]+(?:-dirty)?$`)
)

// String is how it was said.
func (r release) String() string { return r.said }

func parseRelease(said string) (r release, ok bool) {
	m := releaseForm.FindStringSubmatch(said)
	if m == nil {
		return release{}, false
	}
	r.said = said
	for i := range r.numbers {
		r.numbers[i], _ = strconv.Atoi(m[i+1])
	}
	rest := strings.TrimSuffix(m[4], "dirty")
	if at := afterwards.FindStringSubmatchIndex(m[4]); at != nil {
		r.later, _ = strconv.Atoi(m[4][at[2]:at[3]])
		rest = m[4][:at[0]]
	}
	if rest = strings.Trim(rest, "-"); rest != "" {
		r.before = strings.Split(rest, ".")
	}
	return r, true
}

// compare is less than 0 where r is older than o.
func (r release) compare(o release) int {
	for i := range r.numbers {
		if c := cmp.Compare(r.numbers[i], o.numbers[i]); c != 0 {
			return c
		}
	}
	if (len(r.before) == 0) != (len(o.before) == 0) { // one of them is the release itself
		return cmp.Compare(len(o.before), len(r.before))
	}
	for i := range min(len(r.before), len(o.before)) {
		a, errA := strconv.Atoi(r.before[i])
		b, errB := strconv.Atoi(o.before[i])
		c := cmp.Compare(a, b)
		if errA != nil || errB != nil {
			c = cmp.Compare(r.before[i], o.before[i])
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(r.before), len(o.before)), cmp.Compare(r.later, o.later))
}
