//! Bar charts as SVG: groups of horizontal bars, each group with its own scale.

use std::fmt::Write;

pub struct Bar {
    pub label: String,
    /// The index of its entry in the legend.
    pub colour: usize,
    /// The length of the bar, above 0.
    pub value: f64,
    /// The text after the bar.
    pub note: String,
}

pub struct Group {
    pub title: String,
    pub bars: Vec<Bar>,
}

/// Colours that most people with colour blindness can distinguish (Okabe and Ito).
const COLOURS: [&str; 4] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7"];

// Sizes in pixels.
const LABEL: f64 = 210.0;
const LONGEST: f64 = 440.0;
const NOTE: f64 = 250.0;
const BAR: f64 = 13.0;
const GAP: f64 = 5.0;
const HEAD: f64 = 90.0;
const TITLE: f64 = 40.0;

/// Draws the groups, with one colour per name. Adjacent bars with the same label are drawn together
/// under it.
pub fn svg(title: &str, subtitle: &str, names: &[&str], groups: &[Group]) -> String {
    let width = LABEL + LONGEST + NOTE;
    let height = HEAD + groups.iter().map(group_height).sum::<f64>() + GAP;
    let mut drawing = Drawing(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    ));
    drawing.text((16.0, 28.0), "font-size=\"18\" font-weight=\"bold\"", title);
    drawing.text((16.0, 48.0), "fill=\"#555\"", subtitle);
    for (index, name) in names.iter().enumerate() {
        let x = LABEL + 130.0 * index as f64;
        drawing.bar((x, 62.0), 16.0, index);
        drawing.text((x + 22.0, 73.0), "", name);
    }
    let mut top = HEAD;
    for group in groups {
        drawing.group(top, group);
        top += group_height(group);
    }
    drawing.0.push_str("</svg>\n");
    drawing.0
}

/// Returns whether a bar has the same label as the previous one.
fn continues(group: &Group, index: usize) -> bool {
    index > 0 && group.bars[index].label == group.bars[index - 1].label
}

fn group_height(group: &Group) -> f64 {
    let gaps = (0..group.bars.len())
        .filter(|&index| !continues(group, index))
        .count();
    TITLE + BAR * group.bars.len() as f64 + GAP * gaps as f64
}

struct Drawing(String);

impl Drawing {
    fn add(&mut self, element: std::fmt::Arguments) {
        self.0
            .write_fmt(element)
            .and_then(|()| self.0.write_char('\n'))
            .expect("a String takes all");
    }

    fn text(&mut self, (x, y): (f64, f64), style: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{text}</text>"
        ));
    }

    fn bar(&mut self, (x, y): (f64, f64), length: f64, colour: usize) {
        let colour = COLOURS[colour % COLOURS.len()];
        let height = BAR - 1.0;
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"{height}\" fill=\"{colour}\"/>"
        ));
    }

    fn group(&mut self, top: f64, group: &Group) {
        self.text(
            (16.0, top + 22.0),
            "font-size=\"14\" font-weight=\"bold\"",
            &group.title,
        );
        let longest = group
            .bars
            .iter()
            .map(|bar| bar.value)
            .fold(f64::MIN_POSITIVE, f64::max);
        let mut y = top + TITLE - GAP;
        for (index, bar) in group.bars.iter().enumerate() {
            if !continues(group, index) {
                y += GAP;
                self.text(
                    (LABEL - 8.0, y + BAR - 3.0),
                    "text-anchor=\"end\"",
                    &bar.label,
                );
            }
            let length = LONGEST * bar.value / longest;
            self.bar((LABEL, y), length, bar.colour);
            self.text(
                (LABEL + length + 6.0, y + BAR - 3.0),
                "font-size=\"11\" fill=\"#333\"",
                &bar.note,
            );
            y += BAR;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, value: f64) -> Bar {
        Bar {
            label: label.to_owned(),
            colour: 1,
            value,
            note: "a < b & c".to_owned(),
        }
    }

    #[test]
    fn bars_are_as_long_as_their_values() {
        let groups = [Group {
            title: "title".to_owned(),
            bars: vec![bar("x", 4.0), bar("x", 1.0), bar("y", 2.0)],
        }];
        let drawing = svg("title", "subtitle", &["one", "two"], &groups);
        assert!(drawing.starts_with("<svg ") && drawing.ends_with("</svg>\n"));
        assert_eq!(drawing.matches('<').count(), drawing.matches('>').count());
        assert!(drawing.contains("a &lt; b &amp; c") && !drawing.contains("NaN"));
        for width in ["width=\"440.0\"", "width=\"110.0\"", "width=\"220.0\""] {
            assert_eq!(drawing.matches(width).count(), 1, "{width}");
        }
        // Two bars share a label.
        assert_eq!(drawing.matches(">x<").count(), 1);
        svg("nothing", "", &[], &[]);
    }
}
