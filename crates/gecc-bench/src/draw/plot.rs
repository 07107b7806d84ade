//! Plots of rates against sizes as SVG: logarithmic axes, a grid of panels, one legend per row.

use std::fmt::Write;

/// A line of points in the order of x. Both coordinates are above 0.
pub struct Line {
    /// The index of its entry in the legend of its row.
    pub colour: usize,
    pub dashed: bool,
    pub points: Vec<(f64, f64)>,
}

pub struct Panel {
    pub title: String,
    pub lines: Vec<Line>,
}

/// Colours that most people with colour blindness can distinguish (Okabe and Ito).
const COLOURS: [&str; 6] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
];

// Sizes in pixels. The plane of a panel has space for its labels on the left, its title above and
// its axis below.
const PLANE: (f64, f64) = (300.0, 240.0);
const LEFT: f64 = 66.0;
const ABOVE: f64 = 30.0;
const BELOW: f64 = 50.0;
const LEGEND: f64 = 170.0;
const HEAD: f64 = 64.0;

/// Draws rows of panels, each row with a title and the names of its colours.
pub fn svg(title: &str, subtitle: &str, rows: &[(&str, Vec<String>, Vec<Panel>)]) -> String {
    let columns = rows
        .iter()
        .map(|(_, _, panels)| panels.len())
        .max()
        .unwrap_or(0);
    let cell = LEFT + PLANE.0 + 12.0;
    let row_height = ABOVE + PLANE.1 + BELOW + 24.0;
    let width = cell * columns as f64 + LEGEND + 24.0;
    let height = HEAD + row_height * rows.len() as f64;
    let mut drawing = Drawing(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    ));
    drawing.text(
        (16.0, 28.0),
        "start",
        "font-size=\"18\" font-weight=\"bold\"",
        title,
    );
    drawing.text((16.0, 48.0), "start", "fill=\"#555\"", subtitle);
    for (index, (group, names, panels)) in rows.iter().enumerate() {
        let top = HEAD + row_height * index as f64 + 24.0;
        drawing.text(
            (16.0, top),
            "start",
            "font-size=\"14\" font-weight=\"bold\"",
            group,
        );
        let range = Range::of(panels);
        for (column, panel) in panels.iter().enumerate() {
            drawing.panel(cell * column as f64 + LEFT, top + ABOVE, panel, &range);
        }
        drawing.legend(
            (cell * panels.len() as f64 + 16.0, top + ABOVE + 12.0),
            names,
            panels,
        );
    }
    drawing.0.push_str("</svg>\n");
    drawing.0
}

/// The axes shared by all panels of a row: powers of two in x, powers of ten in y.
struct Range {
    x: (f64, f64),
    y: (f64, f64),
}

impl Range {
    fn of(panels: &[Panel]) -> Self {
        let points = panels
            .iter()
            .flat_map(|panel| &panel.lines)
            .flat_map(|line| &line.points);
        let (x_low, x_high) = bounds(points.clone().map(|point| point.0.log2()));
        let (y_low, y_high) = bounds(points.map(|point| point.1.log10()));
        // A single size is placed in the middle.
        let x = if x_high > x_low {
            (x_low, x_high)
        } else {
            (x_low - 1.0, x_high + 1.0)
        };
        Range {
            x,
            y: (y_low.floor(), y_high.ceil().max(y_low.floor() + 1.0)),
        }
    }

    /// Returns the height of a value in a plane at the origin.
    fn y_of(&self, value: f64) -> f64 {
        self.place((1.0, value)).1
    }

    /// Returns the position of a point in a plane at the origin.
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (
            PLANE.0 * fraction_of(x.log2(), self.x),
            PLANE.1 * (1.0 - fraction_of(y.log10(), self.y)),
        )
    }
}

/// Returns the least and the largest value, or 0 and 1 if there are none.
fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// Returns the position of a value between two bounds, from 0 to 1.
fn fraction_of(value: f64, (low, high): (f64, f64)) -> f64 {
    (value - low) / (high - low)
}

struct Drawing(String);

impl Drawing {
    fn add(&mut self, element: std::fmt::Arguments) {
        self.0
            .write_fmt(element)
            .and_then(|()| self.0.write_char('\n'))
            .expect("a String takes all");
    }

    fn text(&mut self, (x, y): (f64, f64), anchor: &str, style: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {style}>{text}</text>"
        ));
    }

    fn rule(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), style: &str) {
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>"
        ));
    }

    fn panel(&mut self, left: f64, top: f64, panel: &Panel, range: &Range) {
        let (width, height) = PLANE;
        self.text((left + width / 2.0, top - 8.0), "middle", "", &panel.title);
        self.horizontal_grid(left, top, range);
        self.vertical_grid(left, top, range);
        self.add(format_args!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#444\"/>"
        ));
        self.text(
            (left + width / 2.0, top + height + 36.0),
            "middle",
            "fill=\"#333\"",
            "items in a batch",
        );
        for line in &panel.lines {
            let places: Vec<(f64, f64)> = line
                .points
                .iter()
                .map(|point| {
                    let (x, y) = range.place(*point);
                    (left + x, top + y)
                })
                .collect();
            self.line(COLOURS[line.colour % COLOURS.len()], line.dashed, &places);
        }
    }

    /// Draws the decades with their names, and their 2 and 5.
    fn horizontal_grid(&mut self, left: f64, top: f64, range: &Range) {
        for decade in range.y.0 as i32..=range.y.1 as i32 {
            let start = 10f64.powi(decade);
            let y = top + range.y_of(start);
            self.rule((left, y), (left + PLANE.0, y), "stroke=\"#ccc\"");
            self.text((left - 6.0, y + 4.0), "end", "", &decade_name(decade));
            for factor in [2.0, 5.0]
                .into_iter()
                .filter(|_| f64::from(decade) < range.y.1)
            {
                let y = top + range.y_of(factor * start);
                self.rule((left, y), (left + PLANE.0, y), "stroke=\"#eee\"");
            }
        }
    }

    /// Draws powers of two, at most about eight.
    fn vertical_grid(&mut self, left: f64, top: f64, range: &Range) {
        let low = range.x.0.ceil() as i32;
        let high = range.x.1.floor() as i32;
        let step = ((high - low) / 8 + 1).max(1) as usize;
        for power in (low..=high).step_by(step) {
            let x = left + range.place((2f64.powi(power), 1.0)).0;
            self.rule((x, top), (x, top + PLANE.1), "stroke=\"#ddd\"");
            self.add(format_args!(
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">2<tspan dy=\"-5\" font-size=\"9\">{power}</tspan></text>",
                top + PLANE.1 + 18.0
            ));
        }
    }

    fn line(&mut self, colour: &str, dashed: bool, places: &[(f64, f64)]) {
        let corners: String = places
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1} "))
            .collect();
        let (dash, fill) = if dashed {
            (" stroke-dasharray=\"5 4\"", "white")
        } else {
            ("", colour)
        };
        let corners = corners.trim_end();
        self.add(format_args!(
            "<polyline points=\"{corners}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"{dash}/>"
        ));
        for (x, y) in places {
            self.add(format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.2\"/>"
            ));
        }
    }

    /// Draws the colours and strokes that a row uses.
    fn legend(&mut self, (x, mut y): (f64, f64), names: &[String], panels: &[Panel]) {
        let lines = panels.iter().flat_map(|panel| &panel.lines);
        for (index, name) in names.iter().enumerate() {
            if !lines.clone().any(|line| line.colour == index) {
                continue;
            }
            self.line(
                COLOURS[index % COLOURS.len()],
                false,
                &[(x, y - 4.0), (x + 26.0, y - 4.0)],
            );
            self.text((x + 34.0, y), "start", "", name);
            y += 20.0;
        }
        for (dashed, name) in [(false, "end to end"), (true, "kernels alone")] {
            if lines.clone().any(|line| line.dashed == dashed) {
                self.line("#444", dashed, &[(x, y + 4.0), (x + 26.0, y + 4.0)]);
                self.text((x + 34.0, y + 8.0), "start", "fill=\"#444\"", name);
                y += 20.0;
            }
        }
    }
}

/// Returns the name of a decade, such as `10 M/s`.
fn decade_name(decade: i32) -> String {
    let group = decade.div_euclid(3);
    let digits = decade.rem_euclid(3);
    match usize::try_from(group)
        .ok()
        .and_then(|group| ["", " k", " M", " G", " T"].get(group))
    {
        Some(unit) => format!("{}{unit}/s", 10u32.pow(digits as u32)),
        None => format!("1e{decade}/s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(points: &[(f64, f64)]) -> Panel {
        Panel {
            title: "a < b & c".to_owned(),
            lines: vec![Line {
                colour: 1,
                dashed: true,
                points: points.to_vec(),
            }],
        }
    }

    #[test]
    fn points_lie_inside_the_plot() {
        let points = [(1024.0, 2e5), (4096.0, 9.9e8), (4_194_304.0, 1e6)];
        let range = Range::of(&[panel(&points)]);
        for point in points {
            let (x, y) = range.place(point);
            assert!(
                (0.0..=PLANE.0).contains(&x) && (0.0..=PLANE.1).contains(&y),
                "{point:?}: {x}, {y}"
            );
        }
        let alone = Range::of(&[panel(&points[..1])]);
        assert_eq!(alone.place(points[0]).0, PLANE.0 / 2.0);
    }

    #[test]
    fn drawings_are_well_formed() {
        let rows = [(
            "group",
            vec!["one".to_owned(), "two".to_owned()],
            vec![panel(&[(1.0, 1.0), (2.0, 1e3)]), panel(&[])],
        )];
        let drawing = svg("title", "subtitle", &rows);
        assert!(drawing.starts_with("<svg ") && drawing.ends_with("</svg>\n"));
        assert_eq!(drawing.matches('<').count(), drawing.matches('>').count());
        assert!(
            drawing.contains("a &lt; b &amp; c")
                && !drawing.contains("NaN")
                && !drawing.contains("inf")
        );
        // The legend contains only lines that are drawn.
        assert!(drawing.contains(">two<") && !drawing.contains(">one<"));
        svg("nothing", "", &[]);
    }

    #[test]
    fn decades_have_names() {
        assert_eq!(
            [0, 1, 3, 5, 6, 9, 11, -1].map(decade_name),
            [
                "1/s", "10/s", "1 k/s", "100 k/s", "1 M/s", "1 G/s", "100 G/s", "1e-1/s"
            ]
        );
    }
}
