"""Rare symbols: mathematics, currencies, and Cyrillic letters by name.

The names are also known to pylatexenc (`tests/parity`).
"""

from __future__ import annotations

from typing import Final


def signs_by_name(listed: str) -> dict[str, str]:
    """Return a table that is written as names, each with its sign behind it."""
    names_and_signs = listed.split()
    return dict(zip(names_and_signs[::2], names_and_signs[1::2], strict=True))


#: Macro, without its backslash, to the character that it stands for.
RARE_SYMBOLS: Final = signs_by_name("""
    textmp ∓ complement ∁ nexists ∄ coprod ∐ smallsetminus ∖ nparallel ∦ iiint ∭ backsim ∽ leqq
    ≦ geqq ≧ lneqq ≨ gneqq ≩ nless ≮ ngtr ≯ nleq ≰ ngeq ≱ lesssim ≲ gtrsim ≳ lessgtr ≶ gtrless ≷
    prec ≺ succ ≻ preceq ≼ succeq ≽ precsim ≾ succsim ≿ nprec ⊀ nsucc ⊁ nsubseteq ⊈ nsupseteq ⊉
    subsetneq ⊊ supsetneq ⊋ bigotimes ⊗ bigoplus ⊕ dagger † ddots ⋱ iddots ⋰ dotsm … dotsi …
    dotso … lvert | rvert | lVert ‖ rVert ‖ nmid ∤ longleftarrow ⟵ textcurrency ¤ textbrokenbar
    ¦ textasciidieresis ¨ textlnot ¬ textasciimacron ¯ textasciiacute ´ textflorin ƒ texthvlig ƕ
    textnrleg ƞ textschwa ə textglotstop ʔ textturnk ʞ textasciicaron ˇ textasciibreve ˘
    textacutedbl ˝ backepsilon ϶ textbaht ฿ textperthousand ‰ textpertenthousand ‱ backprime ‵
    textreferencemark ※ textinterrobang ‽ textfractionsolidus ⁄ textasteriskcentered ⁎
    textdiscount ⁒ textcolonmonetary ₡ textlira ₤ textnaira ₦ textwon ₩ textdong ₫ textpeso ₱
    textcelsius ℃ textcircledP ℗ wp ℘ textrecipe ℞ textservicemark ℠ textohm Ω textmho ℧
    textestimated ℮ beth ℶ gimel ℷ daleth ℸ textuparrow ↑ textdownarrow ↓ updownarrow ↕ nwarrow
    ↖ nearrow ↗ searrow ↘ swarrow ↙ nleftarrow ↚ nrightarrow ↛ twoheadleftarrow ↞
    twoheadrightarrow ↠ leftarrowtail ↢ rightarrowtail ↣ hookleftarrow ↩ hookrightarrow ↪
    looparrowleft ↫ looparrowright ↬ leftrightsquigarrow ↭ nleftrightarrow ↮ Lsh ↰ Rsh ↱
    curvearrowleft ↶ curvearrowright ↷ circlearrowleft ↺ circlearrowright ↻ leftharpoonup ↼
    leftharpoondown ↽ upharpoonright ↾ upharpoonleft ↿ rightharpoonup ⇀ rightharpoondown ⇁
    downharpoonright ⇂ downharpoonleft ⇃ rightleftarrows ⇄ leftrightarrows ⇆ leftleftarrows ⇇
    upuparrows ⇈ rightrightarrows ⇉ downdownarrows ⇊ leftrightharpoons ⇋ rightleftharpoons ⇌
    nLeftarrow ⇍ nLeftrightarrow ⇎ nRightarrow ⇏ Uparrow ⇑ Downarrow ⇓ Updownarrow ⇕ Lleftarrow
    ⇚ Rrightarrow ⇛ rightsquigarrow ⇝ blacksquare ▪ dotplus ∔ rightangle ∟ angle ∠ measuredangle
    ∡ sphericalangle ∢ therefore ∴ because ∵ wr ≀ approxeq ≊ asymp ≍ Bumpeq ≎ bumpeq ≏ doteq ≐
    doteqdot ≑ fallingdotseq ≒ risingdotseq ≓ eqcirc ≖ circeq ≗ triangleq ≜ uplus ⊎ sqsubset ⊏
    sqsupset ⊐ sqsubseteq ⊑ sqsupseteq ⊒ sqcap ⊓ sqcup ⊔ ominus ⊖ oslash ⊘ odot ⊙ circledcirc ⊚
    circledast ⊛ circleddash ⊝ boxplus ⊞ boxminus ⊟ boxtimes ⊠ boxdot ⊡ vdash ⊢ dashv ⊣ top ⊤
    Vdash ⊩ Vvdash ⊪ VDash ⊫ nvdash ⊬ nvDash ⊭ nVdash ⊮ nVDash ⊯ vartriangleleft ⊲
    vartriangleright ⊳ trianglelefteq ⊴ trianglerighteq ⊵ multimap ⊸ intercal ⊺ veebar ⊻
    bigwedge ⋀ bigvee ⋁ diamond ♢ divideontimes ⋇ bowtie ⋈ ltimes ⋉ rtimes ⋊ leftthreetimes ⋋
    rightthreetimes ⋌ backsimeq ⋍ curlyvee ⋎ curlywedge ⋏ Subset ⋐ Supset ⋑ Cap ⋒ Cup ⋓
    pitchfork ⋔ lessdot ⋖ gtrdot ⋗ lesseqgtr ⋚ gtreqless ⋛ curlyeqprec ⋞ curlyeqsucc ⋟ lnsim ⋦
    gnsim ⋧ succnsim ⋩ ntriangleleft ⋪ ntriangleright ⋫ ntrianglelefteq ⋬ ntrianglerighteq ⋭
    udots ⋰ barwedge ⌅ ulcorner ⌜ urcorner ⌝ llcorner ⌞ lrcorner ⌟ frown ⌢ smile ⌣ lmoustache ⎰
    rmoustache ⎱ textlangle 〈 textrangle 〉 textblank ␢ square □ bigtriangleup △ blacktriangle ▴
    vartriangle ▵ blacktriangleright ▸ triangleright ▹ bigtriangledown ▽ blacktriangledown ▾
    triangledown ▿ blacktriangleleft ◂ triangleleft ◃ lozenge ◊ bigcirc ◯ textopenbullet ◦
    textbigcircle ◯ textmusicalnote ♪ flat ♭ natural ♮ sharp ♯ longleftrightarrow ⟷
    Longleftarrow ⟸ Longleftrightarrow ⟺ longmapsto ⟼ blacklozenge ⧫ amalg ⨿ lessapprox ⪅
    gtrapprox ⪆ lneq ⪇ gneq ⪈ lnapprox ⪉ gnapprox ⪊ lesseqqgtr ⪋ gtreqqless ⪌ eqslantless ⪕
    eqslantgtr ⪖ precneqq ⪵ succneqq ⪶ precapprox ⪷ succapprox ⪸ precnapprox ⪹ succnapprox ⪺
    subseteqq ⫅ supseteqq ⫆ subsetneqq ⫋ supsetneqq ⫌ textdoublepipe ǂ texttildelow ˜
    textvartheta ϑ Stigma Ϛ Digamma Ϝ Koppa Ϟ Sampi Ϡ textTheta ϴ dddot ⃛ ddddot ⃜ hslash ℏ mho
    ℧ surd √ Colon ∷ preccurlyeq ≼ succcurlyeq ≽ circledS Ⓢ diagup ╱

    CYRYO Ё CYRDJE Ђ CYRIE Є CYRDZE Ѕ CYRII І CYRYI Ї CYRJE Ј CYRLJE Љ CYRNJE Њ CYRTSHE Ћ
    CYRUSHRT Ў CYRDZHE Џ CYRA А CYRB Б CYRV В CYRG Г CYRD Д CYRE Е CYRZH Ж CYRZ З CYRI И
    CYRISHRT Й CYRK К CYRL Л CYRM М CYRN Н CYRO О CYRP П CYRR Р CYRS С CYRT Т CYRU У CYRF Ф CYRH
    Х CYRC Ц CYRCH Ч CYRSH Ш CYRSHCH Щ CYRHRDSN Ъ CYRERY Ы CYRSFTSN Ь CYREREV Э CYRYU Ю CYRYA Я
    cyra а cyrb б cyrv в cyrg г cyrd д cyre е cyrzh ж cyrz з cyri и cyrishrt й cyrk к cyrl л
    cyrm м cyrn н cyro о cyrp п cyrr р cyrs с cyrt т cyru у cyrf ф cyrh х cyrc ц cyrch ч cyrsh ш
    cyrshch щ cyrhrdsn ъ cyrery ы cyrsftsn ь cyrerev э cyryu ю cyrya я cyryo ё cyrdje ђ cyrie є
    cyrdze ѕ cyrii і cyryi ї cyrje ј cyrlje љ cyrnje њ cyrtshe ћ cyrushrt ў cyrdzhe џ CYRYAT Ѣ
    cyryat ѣ CYRBYUS Ѫ cyrbyus ѫ CYRFITA Ѳ cyrfita ѳ CYRIZH Ѵ cyrizh ѵ CYRSEMISFTSN Ҍ
    cyrsemisftsn ҍ CYRRTICK Ҏ cyrrtick ҏ CYRGUP Ґ cyrgup ґ CYRGHCRS Ғ cyrghcrs ғ CYRGHK Ҕ cyrghk
    ҕ CYRZHDSC Җ cyrzhdsc җ CYRZDSC Ҙ cyrzdsc ҙ CYRKDSC Қ cyrkdsc қ CYRKVCRS Ҝ cyrkvcrs ҝ
    CYRKHCRS Ҟ cyrkhcrs ҟ CYRKBEAK Ҡ cyrkbeak ҡ CYRNDSC Ң cyrndsc ң CYRNG Ҥ cyrng ҥ CYRPHK Ҧ
    cyrphk ҧ CYRABHHA Ҩ cyrabhha ҩ CYRSDSC Ҫ cyrsdsc ҫ CYRTDSC Ҭ cyrtdsc ҭ CYRY Ү cyry ү
    CYRYHCRS Ұ cyryhcrs ұ CYRHDSC Ҳ cyrhdsc ҳ CYRTETSE Ҵ cyrtetse ҵ CYRCHRDSC Ҷ cyrchrdsc ҷ
    CYRCHVCRS Ҹ cyrchvcrs ҹ CYRSHHA Һ cyrshha һ CYRABHCH Ҽ cyrabhch ҽ CYRABHCHDSC Ҿ cyrabhchdsc
    ҿ CYRpalochka Ӏ CYRKHK Ӄ cyrkhk ӄ CYRLDSC Ӆ cyrldsc ӆ CYRNHK Ӈ cyrnhk ӈ CYRCHLDSC Ӌ
    cyrchldsc ӌ CYRMDSC Ӎ cyrmdsc ӎ CYRAE Ӕ cyrae ӕ CYRSCHWA Ә cyrschwa ә CYRABHDZE Ӡ cyrabhdze
    ӡ CYROTLD Ө cyrotld ө CYRGDSC Ӷ cyrgdsc ӷ CYRGDSCHCRS Ӻ cyrgdschcrs ӻ CYRHHK Ӽ cyrhhk ӽ
    CYRHHCRS Ӿ cyrhhcrs ӿ
""")
