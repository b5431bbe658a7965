"""Any other address of the API: 404 as JSON, after it is known who asks."""

from __future__ import annotations

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


@extend_schema(exclude=True)
class MissingView(APIView):
    """Nothing."""

    def get(self, request: Request, rest: str) -> Response:
        """404."""
        raise Http404

    post = put = patch = delete = get
