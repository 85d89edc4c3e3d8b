package memory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
)

// everyday are words of talk, the most frequent first.
const everyday = `i you the to a and it of that is in we was for my on have so do but be just with not this me at like are
	know what they all if can about really had get go one up out there good no your when time see think from yeah or well
	how would some him her then now she he as too here were very got don't want did more today day will been them back
	going who our by work great love people make right over because also could way much off little down even take us need
	new come look still week feel things home last only any after tomorrow night morning sure first next other something
	than thing never should maybe always again work said tell thought before weekend year best long every find bit made
	nice hope old kids family house friend friends happy fun food trip big give help lot around let try years call talk
	days dinner lunch coffee phone car job money school place wait show play watch read book movie music game buy bought
	cook eat drink water tea bread cheese rice soup cake pizza fish chicken apple garden park walk run bike bus train
	station street shop market kitchen door window table chair bed room bath light rain snow sun wind cold warm hot summer
	winter spring autumn month monday tuesday wednesday thursday friday saturday sunday birthday party gift card letter
	email message photo picture video camera paint painting color red blue green black white dog cat bird horse tree flower
	river lake sea beach hill mountain camp camping hike travel holiday hotel flight airport ticket passport bag suitcase
	doctor nurse hospital medicine tooth back head hand leg heart sleep dream tired sick better health yoga gym team
	football tennis swim dance class teacher student exam lesson language word story poem song guitar piano band concert
	theater museum art draw write paper pen desk office boss meeting project plan idea problem answer question reason
	change start finish stop open close wash clean fix break lose win pay cost price cheap bill bank rent loan tax
	insurance contract lawyer police neighbor baby mother father brother sister mom dad son daughter grandma uncle aunt
	cousin wedding husband wife partner boyfriend girlfriend marriage dating alone quiet loud busy free early late soon
	later yesterday tonight minute hour evening afternoon noon midnight country city town village bridge road corner
	church tower farm field forest stone wood metal glass plastic box bottle cup plate knife fork spoon pot pan oven
	fridge salt pepper sugar butter milk egg honey jam fruit orange lemon berry tomato potato onion carrot salad bean nut
	shirt dress shoe coat hat sock jacket pocket button needle thread wool ring watch glasses mirror soap towel brush
	computer screen keyboard mouse printer internet website password account app update download file folder code error
	radio news paper story weather storm cloud sky star moon planet earth world war peace vote law rule right wrong true
	false real fake easy hard simple strange funny sad angry afraid proud sorry thankful kind mean brave shy smart stupid
	young tall short small wide deep high low near far left straight fast slow heavy soft sharp round flat full empty
	hundred thousand half double once twice several few enough nothing anything everyone nobody somebody somewhere support
	volunteer charity shelter adopt puppy kitten vet leash cage fishing boat sail anchor island coast wave sand shell
	board cards chess puzzle dice prize medal race coach training marathon goal score injury season fan crowd stadium
	recipe bake flour dough sauce grill barbecue picnic blanket tent fire torch map compass trail summit view sunset
	interview career manager promotion salary company customer product store sale market startup business degree college
	university professor library research science physics chemistry biology history math essay grade homework scholarship`

// fillers is n messages made of everyday words and of some words more, as often as Zipf says, by
// the people given in turn, in one channel and after what was said there. Messages come
// a minute apart, in sessions of twenty.
func fillers(t testing.TB, n int, place [2]string, more, people []string) string {
	list, r := strings.Fields(everyday), rand.New(rand.NewPCG(7, uint64(n)))
	common, own := rand.NewZipf(r, 1.08, 3, uint64(len(list)-1)), rand.NewZipf(r, 1.08, 8, uint64(max(len(more), 2)-1))
	at := time.Date(2025, 1, 1, 9, 0, 0, 0, time.UTC)
	var b strings.Builder
	for i := range n {
		if at = at.Add(time.Minute); i%20 == 0 {
			at = at.Add(3 * time.Hour)
		}
		var said []string
		for range 4 + r.IntN(16) {
			if len(more) > 0 && r.IntN(fillerShare) == 0 {
				said = append(said, more[own.Uint64()])
			} else {
				said = append(said, list[common.Uint64()])
			}
		}
		name := people[r.IntN(len(people))]
		line, err := json.Marshal(map[string]string{"platform": place[0], "channel": place[1], "user": strings.ToLower(name), "name": name,
			"text": strings.Join(said, " ") + []string{".", "!", "?"}[i%3], "at": at.Format(time.RFC3339), "id": fmt.Sprint("filler", i)})
		must(t, err)
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// frequent are the n words that some texts say the most often, the most frequent first.
func frequent(texts []string, n int) []string {
	count := map[string]int{}
	for _, said := range texts {
		for w := range strings.FieldsFuncSeq(strings.ToLower(said), func(r rune) bool { return !unicode.IsLetter(r) }) {
			count[w]++
		}
	}
	list := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	return list[:min(n, len(list))]
}

// fillerShare is how many words come for one of those that were said before.
var fillerShare = 8
