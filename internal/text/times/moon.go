package times

import (
	"math"
	"time"
)

// Calendars that follow the moon need its new moons and the sun's place, here by the
// short series of Meeus, Astronomical Algorithms (1998): right within minutes for the
// years people make plans for.

// newMoons is how many new moons lie between that of 6 January 2000 and a moment, roughly.
func newMoons(t time.Time) int {
	return int(math.Round(t.Sub(time.Date(2000, 1, 6, 18, 14, 0, 0, time.UTC)).Hours() / 24 / 29.530588861))
}

// newMoon returns the kth new moon after that of 6 January 2000 (Meeus, chapter 49).
func newMoon(k int) time.Time {
	n := float64(k)
	c := n / 1236.85
	sun := 2.5534 + 29.10535670*n - 0.0000014*c*c
	moon := 201.5643 + 385.81693528*n + 0.0107582*c*c
	node := 160.7108 + 390.67050284*n - 0.0016118*c*c
	rising := 124.7746 - 1.56375588*n + 0.0020672*c*c
	e := 1 - 0.002516*c
	day := 2451550.09766 + 29.530588861*n + 0.00015437*c*c
	for _, term := range []struct{ size, of float64 }{
		{-0.40720, moon}, {0.17241 * e, sun}, {0.01608, 2 * moon}, {0.01039, 2 * node}, {0.00739 * e, moon - sun},
		{-0.00514 * e, moon + sun}, {0.00208 * e * e, 2 * sun}, {-0.00111, moon - 2*node}, {-0.00057, moon + 2*node},
		{0.00056 * e, 2*moon + sun}, {-0.00042, 3 * moon}, {0.00042 * e, sun + 2*node}, {0.00038 * e, sun - 2*node},
		{-0.00024 * e, 2*moon - sun}, {-0.00017, rising}, {0.00033, 299.77 + 0.107408*n},
	} {
		day += term.size * sin(term.of)
	}
	return ofJulian(day)
}

// sunAt returns the sun's apparent longitude in degrees from 0 to 360 (chapter 25).
func sunAt(t time.Time) float64 {
	c := (julian(t) - 2451545) / 36525
	mean, off := 280.46646+36000.76983*c, 357.52911+35999.05029*c
	at := mean + (1.914602-0.004817*c)*sin(off) + (0.019993-0.000101*c)*sin(2*off) + 0.000289*sin(3*off)
	return turned(at - 0.00569 - 0.00478*sin(125.04-1934.136*c))
}

// tithi returns which thirtieth of the moon's way from new moon to new moon a moment is in:
// 1 begins with the new moon, 15 ends with the full one (chapter 47, its greatest terms).
func tithi(t time.Time) int {
	c := (julian(t) - 2451545) / 36525
	moon, far := 218.3164477+481267.88123421*c, 134.9633964+477198.8675055*c
	from, sun, node := 297.8501921+445267.1114034*c, 357.5291092+35999.0502909*c, 93.2720950+483202.0175233*c
	for _, term := range []struct{ size, of float64 }{
		{6.288774, far}, {1.274027, 2*from - far}, {0.658314, 2 * from}, {0.213618, 2 * far}, {-0.185116, sun}, {-0.114332, 2 * node},
		{0.058793, 2*from - 2*far}, {0.057066, 2*from - sun - far}, {0.053322, 2*from + far}, {0.045758, 2*from - sun},
		{-0.040923, sun - far}, {-0.034720, from}, {-0.030383, sun + far}, {0.015327, 2*from - 2*node},
	} {
		moon += term.size * sin(term.of)
	}
	return int(turned(moon-sunAt(t))/12) + 1
}

func sin(degrees float64) float64 { return math.Sin(degrees * math.Pi / 180) }

// turned brings an angle into 0 to 360 degrees.
func turned(degrees float64) float64 { return math.Mod(math.Mod(degrees, 360)+360, 360) }

// The series are in dynamical time, which is ahead of clocks by some 70 seconds.
const dynamical = 70 * time.Second

func ofJulian(day float64) time.Time {
	return time.Unix(int64((day-2440587.5)*86400), 0).UTC().Add(-dynamical)
}

func julian(t time.Time) float64 { return float64(t.Add(dynamical).Unix())/86400 + 2440587.5 }
