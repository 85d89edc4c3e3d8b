package filmtest

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"maps"
	"slices"
	"time"
)

// Slides makes a GIF of pictures in PNG, all of one size, each seen for so long.
func Slides(pictures [][]byte, each time.Duration) ([]byte, error) {
	var film gif.GIF
	for _, p := range pictures {
		picture, err := png.Decode(bytes.NewReader(p))
		if err != nil {
			return nil, fmt.Errorf("slides: %w", err)
		}
		slide := image.NewPaletted(picture.Bounds(), colors(picture))
		draw.Draw(slide, slide.Bounds(), picture, image.Point{}, draw.Src)
		film.Image, film.Delay = append(film.Image, slide), append(film.Delay, int(each/(10*time.Millisecond)))
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &film); err != nil {
		return nil, fmt.Errorf("slides: %w", err)
	}
	return b.Bytes(), nil
}

// colors returns the 256 that are seen most: pages have few, and the shades between
// them at the edges of letters.
func colors(picture image.Image) color.Palette {
	count := map[color.RGBA]int{}
	r := picture.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			count[color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)]++
		}
	}
	most := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(shade(a), shade(b)))
	})
	var p color.Palette
	for _, c := range most[:min(256, len(most))] {
		p = append(p, c)
	}
	return p
}

// shade orders colors that are seen equally often.
func shade(c color.RGBA) uint32 { return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B) }
