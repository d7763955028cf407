(function () {
  'use strict';
  var form = document.getElementById('filter');
  var shown = document.getElementById('shown');
  var items = Array.from(document.querySelectorAll('[data-coll], [data-p]'));
  var boxes = Array.from(form.querySelectorAll('input'));

  function picked(name) {
    return boxes.filter(function (box) {
      return box.name === name && box.checked;
    }).map(function (box) { return box.value; });
  }

  function apply() {
    var colls = picked('coll');
    var procs = picked('procs').map(Number);
    var any = boxes.every(function (box) {
      return box.name !== 'procs' || box.checked;
    });
    var figures = 0, visible = 0;
    items.forEach(function (item) {
      var coll = item.dataset.coll, lo = item.dataset.p, hi = item.dataset.q;
      var fits = coll === undefined || colls.indexOf(coll) >= 0;
      if (fits && !any && lo !== undefined) {
        fits = procs.some(function (p) { return p >= lo && p <= hi; });
      }
      item.hidden = !fits;
      if (item.tagName === 'FIGURE') {
        figures += 1;
        visible += fits ? 1 : 0;
      }
    });
    shown.textContent = visible + ' of ' + figures + ' figures shown';
  }

  function setAll(checked) {
    boxes.forEach(function (box) { box.checked = checked; });
    apply();
  }

  form.hidden = false;
  form.addEventListener('change', apply);
  form.addEventListener('submit', function (event) { event.preventDefault(); });
  document.getElementById('all').addEventListener('click', function () {
    setAll(true);
  });
  document.getElementById('none').addEventListener('click', function () {
    setAll(false);
  });
  window.addEventListener('beforeprint', function () {
    document.querySelectorAll('details').forEach(function (details) {
      details.open = true;
    });
  });
  apply();
}());
