"""Addresses of review."""

from __future__ import annotations

from django.urls import path

from webapp.review.views import deciding, finding, queue, saving

urlpatterns = [
    path("", queue.queue, name="review"),
    path("decide/", deciding.decide, name="review-decide"),
    path("assign/", deciding.assign, name="review-assign"),
    path("undo/", deciding.undo, name="review-undo"),
    path("filters/", saving.save_of_queue, name="review-filter-save"),
    path("filters/of/<uuid:inspection_id>/", saving.save_of_records, name="record-filter-save"),
    path("filters/<int:filter_id>/rename/", saving.rename, name="review-filter-rename"),
    path("filters/<int:filter_id>/delete/", saving.delete, name="review-filter-delete"),
    path("<int:finding_id>/", finding.finding, name="review-finding"),
    path("<int:finding_id>/incident/", finding.incident, name="review-incident"),
    path("<int:finding_id>/preview/", finding.preview, name="review-preview"),
    path("<int:finding_id>/comment/", finding.comment, name="review-comment"),
]
