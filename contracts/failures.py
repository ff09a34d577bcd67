"""Failure classes of design §4, each with what a person can do about it."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["RETRYABLE", "FailureClass", "advice_for"]


class FailureClass(StrEnum):
    """Why a file did not become a document. The values are stored and never renamed."""

    ENCRYPTED = "encrypted"
    DRM_FASOO = "drm:fasoo"
    DRM_MARKANY = "drm:markany"
    DRM_SOFTCAMP = "drm:softcamp"
    DRM_MIP = "drm:mip"
    HWP_DISTRIBUTION = "hwp_distribution"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    CORRUPT = "corrupt"
    TOO_LARGE = "too_large"
    ARCHIVE_BOMB = "archive_bomb"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    UNSUPPORTED = "unsupported"
    NO_PERMISSIONS = "no_permissions"
    UNREADABLE = "unreadable"
    INTERNAL = "internal"


RETRYABLE = frozenset(
    {
        FailureClass.TIMEOUT,
        FailureClass.MEMORY,
        FailureClass.UNREADABLE,
        FailureClass.INTERNAL,
        FailureClass.NO_PERMISSIONS,
    }
)
"""Classes that a later try, or a larger limit, may cure (outcome ``failed``, else ``rejected``)."""

_ADVICE = {
    FailureClass.ENCRYPTED: "암호를 풀어 다시 저장하거나 암호 목록에 등록하세요 (remove the password, save again)",
    FailureClass.DRM_FASOO: "Fasoo DRM 문서입니다. 해제본을 올리거나 복호화 명령을 설정하세요 (Fasoo DRM: configure the decryption command)",
    FailureClass.DRM_MARKANY: "MarkAny DRM 문서입니다. 해제본을 올리거나 복호화 명령을 설정하세요 (MarkAny DRM: configure the decryption command)",
    FailureClass.DRM_SOFTCAMP: "SoftCamp DRM 문서입니다. 해제본을 올리거나 복호화 명령을 설정하세요 (SoftCamp DRM: configure the decryption command)",
    FailureClass.DRM_MIP: "Microsoft 레이블 보호 문서입니다. 보호를 해제하세요 (Microsoft Purview protection: remove it or configure decryption)",
    FailureClass.HWP_DISTRIBUTION: "배포용 한글 문서입니다. 일반 문서로 다시 저장하세요 (distribution HWP: save as a normal document)",
    FailureClass.EMPTY: "내용이 없습니다. 원본을 확인하세요 (no content: check the original)",
    FailureClass.TRUNCATED: "파일이 중간에 잘렸습니다. 다시 복사하세요 (truncated: copy the file again)",
    FailureClass.CORRUPT: "파일이 손상되었습니다. 원본 프로그램에서 열어 다시 저장하세요 (damaged: open and save it in its program)",
    FailureClass.TOO_LARGE: "크기 한도를 넘었습니다. 나누거나 한도를 올리세요 (over the size limit: split it or raise the limit)",
    FailureClass.ARCHIVE_BOMB: "압축 한도를 넘었습니다. 압축을 풀어 올리세요 (archive limits exceeded: unpack it yourself)",
    FailureClass.TIMEOUT: "시간 한도를 넘었습니다. parse.timeout_seconds 를 올려 다시 시도하세요 (time limit: raise it and retry)",
    FailureClass.MEMORY: "메모리 한도를 넘었습니다. parse.memory_mb 를 올려 다시 시도하세요 (memory limit: raise it and retry)",
    FailureClass.UNSUPPORTED: "지원하지 않는 형식입니다. PDF 등으로 변환하세요 (unsupported format: convert it, for example to PDF)",
    FailureClass.NO_PERMISSIONS: "접근 목록을 읽을 수 없습니다. 수집 계정의 권한을 확인하세요 (access list unreadable: check the reader account)",
    FailureClass.UNREADABLE: "파일을 읽을 수 없습니다. 권한과 잠금을 확인하세요 (cannot be read: check rights and locks)",
    FailureClass.INTERNAL: "처리 중 오류입니다. 로그를 첨부해 신고하세요 (a fault of ours: report it with the log)",
}


def advice_for(failure: FailureClass) -> str:
    """One line, Korean first, that says what to do about ``failure``."""
    return _ADVICE[failure]
