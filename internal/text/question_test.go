package text

import "testing"

func TestAsks(t *testing.T) {
	for _, s := range []string{
		"Where do I live?", "where do I live", "Where do I live? Thanks!", "tell me where I live", "Hi Max, where do I live",
		"Wo wohne ich", "wie heißt meine Frau.", "Welche Farbe hat mein Auto", "Sag mir, wo ich wohne", "Weißt du noch, wo ich wohne",
		"Hallo, wann ist mein Termin",
		"Où est-ce que j'habite", "Qu’est-ce que je bois", "Comment s'appelle mon chien", "¿Dónde vivo", "donde vivo",
		"Por qué", "Dove abito", "Cos'è", "Onde eu moro", "Waar woon ik",
		"Где я живу", "Как зовут мою собаку", "Gdzie mieszkam", "Nerede yaşıyorum", "أين أسكن", "أين أسكن؟", "मैं कहाँ रहता हूँ?", "Πού μένω;",
		"我住在哪里？", "我住在哪里", "我叫什么名字", "你记得我吗", "私はどこに住んでいますか", "私の名前は何", "내가 어디에 살아", "나는 어디 사니？", "「私はどこに住んでいますか？」", "我住在哪里？谢谢",
	} {
		if !Asks(s) {
			t.Errorf("no question: %q", s)
		}
	}
	for _, s := range []string{
		"", "Thanks", "I live in Berlin.", "Ich wohne in Berlin", "Danke, das war gut", "J'habite à Lyon", "Vivo en Madrid", "Я живу в Москве",
		"我住在柏林。", "私はベルリンに住んでいます。", "나는 서울에 산다.", "See https://example.org/?q=where", "Remember that I know where Ann lives",
		"Note, the door is green",
	} {
		if Asks(s) {
			t.Errorf("a question: %q", s)
		}
	}
}
