package document

import (
	"fmt"
	"strconv"
	"strings"

	"parley/internal/text"
)

var pageForm = text.Pattern(
	`(?i)^(.*?),?\s*\b(?:page|p\.?|seite|s\.|página|pagina|pág\.|strona|стр\.?|страница|第)[\s=]*(\d{1,6})\s*(?:页|頁|ページ)?$`)

// PageMark returns the citation of a page, which follows "#" or a heading.
func PageMark(page int) string { return fmt.Sprintf("page %d", page) }

// PageOf splits a citation such as "page 3" or "Costs, page 3" into heading and page. page
// is 0 if there is none.
func PageOf(cited string) (heading string, page int) {
	m := pageForm().FindStringSubmatch(strings.TrimSpace(cited))
	if m == nil {
		return cited, 0
	}
	page, _ = strconv.Atoi(m[2]) // digits
	return strings.TrimSpace(m[1]), page
}
