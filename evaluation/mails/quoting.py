"""How mail programs put the mail that is answered below the answer. Names and labels are theirs, the words ours."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["HTML_STYLES", "PLAIN_STYLES"]


def _marked(text: str) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def _outlook_ko(text: str) -> str:
    return f"-----Original Message-----\n보낸 사람: 이준호 <junho@client.example>\n보낸 날짜: 2024년 3월 5일 화요일 오후 2:15\n받는 사람: 한지우 <jiwoo.han@garam.example>\n제목: 토크 값 문의\n\n{text}"


def _outlook_ko_bare(text: str) -> str:
    return f"보낸 사람: 이준호 <junho@client.example>\n보낸 날짜: 2024년 3월 5일 화요일 오후 2:15\n받는 사람: 한지우 <jiwoo.han@garam.example>\n참조: 박도윤\n제목: RE: 토크 값 문의\n\n{text}"


def _outlook_en(text: str) -> str:
    return f"From: Joon Lee <joon@client.example>\nSent: Tuesday, March 5, 2024 2:15 PM\nTo: Jonas Keller <jonas.keller@muster.example>\nSubject: RE: Torque\n\n{text}"


def _original_en(text: str) -> str:
    return f"-----Original Message-----\nFrom: Joon Lee [mailto:joon@client.example]\nSent: Tuesday, March 5, 2024 2:15 PM\nTo: Keller, Jonas\nSubject: Torque\n\n{text}"


def _gmail_ko(text: str) -> str:
    return (
        f"2024년 3월 5일 (화) 오후 2:15, 이준호 <junho@client.example>님이 작성:\n\n{_marked(text)}"
    )


def _gmail_en(text: str) -> str:
    return (
        f"On Tue, Mar 5, 2024 at 2:15 PM Joon Lee <joon@client.example> wrote:\n\n{_marked(text)}"
    )


def _gmail_en_wrapped(text: str) -> str:
    return f"On Tue, Mar 5, 2024 at 2:15 PM Joon Lee, Quality Department, Client Motors\n<joon@client.example> wrote:\n\n{_marked(text)}"


def _naver(text: str) -> str:
    return f'-----Original Message-----\nFrom: "이준호"<junho@client.example>\nTo: "한지우"<jiwoo.han@garam.example>\nCc:\nSent: 2024-03-05 (화) 14:15:30 (GMT+09:00)\nSubject: 토크 값 문의\n\n{text}'


def _daum(text: str) -> str:
    return f"--------- 원본 메일 ---------\n보낸사람: 이준호 <junho@client.example>\n받는사람: 한지우\n날짜: 2024년 3월 05일(화) 14:15:30\n제목: 토크 값 문의\n\n{text}"


def _hiworks(text: str) -> str:
    return f"---------- 원본메일 ----------\n제목: 토크 값 문의\n발신: 이준호 <junho@client.example>\n수신: 한지우\n일시: 2024-03-05 14:15\n\n{text}"


def _apple_ko(text: str) -> str:
    return f"2024. 3. 5. 오후 2:15, 이준호 <junho@client.example> 작성:\n\n{_marked(text)}"


def _thunderbird_ko(text: str) -> str:
    return f"2024-03-05 오후 2:15에 이준호 이(가) 쓴 글:\n{_marked(text)}"


def _thunderbird_en(text: str) -> str:
    return f"On 05.03.2024 at 14:15, Joon Lee wrote:\n{_marked(text)}"


def _groupware(text: str) -> str:
    return f"--------- Original Message ---------\nSender : 이준호 <junho@client.example> 선임/품질팀\nDate : 2024-03-05 14:15 (GMT+9)\nTitle : 토크 값 문의\n\n{text}"


def _notes(text: str) -> str:
    return f"이준호/품질팀/CLIENT@client 님이 2024-03-05 오후 02:15에 작성:\n\n{_marked(text)}"


def _samsung(text: str) -> str:
    return f"-------- 원본 이메일 --------\n발신: 이준호 <junho@client.example>\n날짜: 24/3/5 오후 2:15 (GMT+09:00)\n받은 사람: 한지우\n제목: 토크 값 문의\n\n{text}"


PLAIN_STYLES: dict[str, Callable[[str], str]] = {
    "outlook-ko": _outlook_ko,
    "outlook-ko-bare": _outlook_ko_bare,
    "outlook-en": _outlook_en,
    "original-en": _original_en,
    "gmail-ko": _gmail_ko,
    "gmail-en": _gmail_en,
    "gmail-en-wrapped": _gmail_en_wrapped,
    "naver": _naver,
    "daum": _daum,
    "hiworks": _hiworks,
    "apple-ko": _apple_ko,
    "thunderbird-ko": _thunderbird_ko,
    "thunderbird-en": _thunderbird_en,
    "groupware": _groupware,
    "notes": _notes,
    "samsung": _samsung,
}


def _lines(text: str) -> str:
    return "".join(f"<div>{line or '<br>'}</div>" for line in text.split("\n"))


def _html_outlook(text: str) -> str:
    return (
        '<div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">'
        '<p class="MsoNormal"><b>보낸 사람:</b> 이준호 &lt;junho@client.example&gt;<br><b>보낸 날짜:</b> 2024년 3월 5일 화요일 오후 2:15<br>'
        f"<b>받는 사람:</b> 한지우<br><b>제목:</b> 토크 값 문의</p></div></div>{_lines(text)}"
    )


def _html_outlook_web(text: str) -> str:
    return (
        '<hr tabindex="-1" style="display:inline-block;width:98%"><div id="divRplyFwdMsg" dir="ltr"><b>From:</b> Joon Lee<br>'
        f"<b>Sent:</b> Tuesday, March 5, 2024 2:15 PM<br><b>To:</b> Jonas<br><b>Subject:</b> Torque</div>{_lines(text)}"
    )


def _html_gmail(text: str) -> str:
    return (
        '<br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">2024년 3월 5일 (화) 오후 2:15, 이준호 &lt;junho@client.example&gt;님이 작성:<br></div>'
        f'<blockquote class="gmail_quote" style="margin:0 0 0 .8ex">{_lines(text)}</blockquote></div>'
    )


def _html_naver(text: str) -> str:
    return (
        '<div style="padding-top:10px"><p style="font-size:10pt">-----Original Message-----<br><b>From:</b> "이준호"&lt;junho@client.example&gt;<br><b>To:</b> "한지우"<br>'
        f"<b>Cc:</b> <br><b>Sent:</b> 2024-03-05 (화) 14:15:30 (GMT+09:00)<br><b>Subject:</b> 토크 값 문의<br></p>{_lines(text)}</div>"
    )


def _html_apple(text: str) -> str:
    return f'<div><br><blockquote type="cite"><div>2024. 3. 5. 오후 2:15, 이준호 &lt;junho@client.example&gt; 작성:</div><br>{_lines(text)}</blockquote></div>'


HTML_STYLES: dict[str, Callable[[str], str]] = {
    "outlook": _html_outlook,
    "outlook-web": _html_outlook_web,
    "gmail": _html_gmail,
    "naver": _html_naver,
    "apple": _html_apple,
}
