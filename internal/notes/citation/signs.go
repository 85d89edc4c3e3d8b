package citation

import (
	"strings"

	"parley/internal/text"
)

// sign tells whether a number is below zero.
type sign int

const (
	plus    sign = iota
	minus        // a dash or a word for it stands directly before the number
	unclear      // that may as well join words or subtract, or words of falling stand near
)

func (s sign) clashes(o sign) bool {
	return s != o && s != unclear && o != unclear
}

var (
	// dashed and spelled match a sign that ends what stands before a number. What stands
	// before the sign is the first group. The second is a dash with the space behind it.
	dashed = text.Pattern(`(^|[^\pL\d)+/]|[^\x00-\x{dff}])` +
		`(?:[€$£¥₽]\s?|\b(?:eur|usd|chf|gbp|rub)\s?)?([-−–－]\s?)(?:[€$£¥₽]|(?:eur|usd|chf|gbp|rub)\s?)?$`)
	spelled = text.Pattern(`(^|[^\pL]|[^\x00-\x{dff}])(?:(?:minus|минус|moins|menos|meno) |零下|氷点下|マイナス|负|負)$`)
	atLeast = text.Pattern(`\b(?:(?:au|du|le) moins|(?:al|lo|pelo) menos) $`)
	falling = text.Pattern(
		`\b(?:minus|fallen|falling|drop|decreas|declin|reduc|discount|deficit|negativ|debt|verlust|verlor|unter null|gesunken|sinkt|schuld|rabatt|baisse|dette|rédu|caída|cayó|deuda|descuento)` +
			`|\b(?:below|down|loss|losses|lost|fell|fall|falls|less|lower|lowered|cut|off|owes?|owed|owing|sank|fiel|weniger|niedriger|perte|moins|chute|remise|menos|bajo|pérdida)\b` +
			`|rückgang|ниже|минус|убыт|упал|мороз|долг|скидк|сниз|零下|氷点下|マイナス|赤字|负|負|下降|跌|减|減|折扣`)
	freezing = text.Pattern(`minus|below|sub-?zero|unter null|unter dem gefrier|bajo cero|sous zéro|sous de zéro|sotto|ниже|минус|мороз|零下|氷点下|负|負`)
)

// signAt reads the sign of the number at a place in a lower-case text.
func signAt(s string, from, to int, of unit) sign {
	before := s[max(0, from-maxBeside):from]
	head, dash := "", ""
	if m := spelled().FindStringSubmatchIndex(before); m != nil && !atLeast().MatchString(before) {
		head, dash = before[:m[3]], before[m[3]:]
	} else if m := dashed().FindStringSubmatchIndex(before); m != nil {
		head, dash = before[:m[3]], before[m[4]:m[5]]
	}
	words := falling()
	if of.kind == "celsius" || of.kind == "fahrenheit" {
		words = freezing()
	}
	switch {
	case dash == "- " || dash == "– " || dash != "" && endsInDigit(head):
		return unclear
	case dash != "":
		return minus
	case words.MatchString(s[max(0, from-2*maxBeside):min(len(s), to+maxBeside)]):
		return unclear
	}
	return plus
}

func endsInDigit(s string) bool {
	s = strings.TrimRight(s, " ")
	return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9'
}
